#include <algorithm>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "apps/assembly.hpp"
#include "apps/commands.hpp"
#include "apps/report.hpp"
#include "storage/reservations.hpp"

namespace ringmaster::apps {

namespace {

/// How long the nodes have to let go of the schedule lock by themselves.
constexpr core::milliseconds switch_patience{5000};
/// Whole tables are copied: some 100 000 jobs take longer than a statement of the firing path may.
constexpr core::milliseconds copy_limit{3'600'000};

void print(core::cluster_mode to, const core::mode_switch& done, bool json) {
  const std::string mode{core::stored_name(to)};
  if (json) {
    const nlohmann::json document{{"mode", mode},
                                  {"changed", done.changed},
                                  {"nodes_fenced", done.nodes_fenced},
                                  {"jobs_copied", done.jobs_copied},
                                  {"instants_put_back", done.instants_put_back}};
    std::printf("%s\n", document.dump().c_str());
    return;
  }
  if (!done.changed) {
    std::printf("the database is in %s mode already\n", mode.c_str());
    return;
  }
  std::printf("the database is in %s mode now: %zu jobs copied, %zu nodes begin a new life, %zu reserved instants put back\n",
              mode.c_str(), done.jobs_copied, done.nodes_fenced, done.instants_put_back);
  if (to == core::cluster_mode::native)
    std::printf("stop the Java admins, if they still run: while a Ringmaster node serves, they wait for the schedule lock\n");
  else
    std::printf("Java admins may be started\n");
}

core::result<core::mode_switch> switch_mode(assembled what, core::cluster_mode to) {
  what.settings.database.statement_timeout = std::max(what.settings.database.statement_timeout, copy_limit);
  auto database = make_database(what);
  if (!database)
    return tl::unexpected<core::error>{database.error()};
  auto store = (*database)->open();
  if (!store)
    return tl::unexpected<core::error>{store.error()};
  auto* shared = (*store)->reservations();
  if (shared == nullptr)
    return core::fail(core::errc::unsupported,
                      (*database)->description() + ": nobody else can plan on this database, so it is always in native mode");
  return shared->switch_mode(to, switch_patience);
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
