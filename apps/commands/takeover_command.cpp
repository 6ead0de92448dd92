#include <algorithm>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "apps/commands/commands.hpp"
#include "apps/server/assembly.hpp"
#include "apps/server/data_folder.hpp"
#include "apps/terminal/report.hpp"
#include "storage/reservations.hpp"

namespace ringmaster::apps {

namespace {

/// Time that the nodes have to release the schedule lock by themselves.
constexpr core::milliseconds switch_patience{5000};
/// Statement timeout for copying whole tables: 100 000 jobs take longer than a statement of the firing path may.
constexpr core::milliseconds copy_limit{3'600'000};
/// Maximum number of passes over the log for trigger notes.
constexpr int note_rounds = 3;

/// The result of the command, including the rewritten texts of native-mode runs.
struct switch_done {
  core::mode_switch mode;
  std::size_t texts = 0;
};

void print(core::cluster_mode to, const switch_done& all, bool json) {
  const auto& done = all.mode;
  const std::string mode{core::stored_name(to)};
  if (json) {
    const nlohmann::json document{{"mode", mode},
                                  {"changed", done.changed},
                                  {"nodes_fenced", done.nodes_fenced},
                                  {"jobs_copied", done.jobs_copied},
                                  {"instants_put_back", done.instants_put_back},
                                  {"texts_rewritten", all.texts}};
    std::printf("%s\n", document.dump().c_str());
    return;
  }
  if (all.texts > 0)
    std::printf("%zu trigger texts of native-mode runs are now readable in a Java console\n", all.texts);
  if (!done.changed) {
    std::printf("the database is already in %s mode\n", mode.c_str());
    return;
  }
  std::printf(
    "the database is now in %s mode: %zu jobs copied, %zu nodes begin a new incarnation, %zu reserved instants returned\n",
    mode.c_str(), done.jobs_copied, done.nodes_fenced, done.instants_put_back);
  if (to == core::cluster_mode::native)
    std::printf("stop the Java admins if they still run: they wait for the schedule lock while a Ringmaster node serves\n");
  else
    std::printf("you can start the Java admins now\n");
}

/// Works in small steps, so that no step holds rows for long. A further pass covers rows that a node wrote in the meantime.
core::result<std::size_t> rewrite_notes(storage::reservation_store& shared) {
  std::size_t texts = 0;
  for (int round = 0; round < note_rounds; ++round) {
    std::size_t left = 0;
    for (std::optional<core::log_id> after = core::log_id{0}; after;) {
      auto step = shared.rewrite_notes(*after);
      if (!step)
        return core::fail(step.error().code,
                          "the database is in shared mode, but " + std::to_string(texts) +
                            " trigger texts were rewritten before this error; run the command again: " + step.error().context);
      texts += step->rewritten;
      left += step->left;
      after = step->next;
    }
    if (left == 0)
      break;
  }
  return texts;
}

core::result<switch_done> switch_mode(assembled what, core::cluster_mode to) {
  what.settings.database.statement_timeout = std::max(what.settings.database.statement_timeout, copy_limit);
  auto database = make_database(what);
  if (!database)
    return tl::unexpected<core::error>{database.error()};
  if (auto there = check_has_tables(**database, what.settings); !there)
    return tl::unexpected<core::error>{there.error()};
  auto store = (*database)->open();
  if (!store)
    return tl::unexpected<core::error>{store.error()};
  auto* shared = (*store)->reservations();
  if (shared == nullptr)
    return core::fail(
      core::errc::unsupported,
      (*database)->description() + ": only Ringmaster can use this kind of database, so it is always in native mode");
  auto done = shared->switch_mode(to, switch_patience);
  if (!done)
    return tl::unexpected<core::error>{done.error()};
  switch_done all{*done, 0};
  if (to == core::cluster_mode::native)
    return all;
  auto texts = rewrite_notes(*shared);
  if (!texts)
    return tl::unexpected<core::error>{texts.error()};
  all.texts = *texts;
  return all;
}

} // namespace

int takeover(const config_options& options, bool back, bool json) {
  auto what = assemble(options);
  if (!what)
    return complain(what.error());
  const auto to = back ? core::cluster_mode::shared : core::cluster_mode::native;
  auto done = switch_mode(*what, to);
  if (!done)
    return complain(done.error());
  print(to, *done, json);
  return exit_done;
}

} // namespace ringmaster::apps
