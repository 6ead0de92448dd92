#include <cstdio>

#include <nlohmann/json.hpp>

#include "apps/commands/commands.hpp"
#include "apps/server/assembly.hpp"
#include "apps/server/data_folder.hpp"
#include "apps/terminal/report.hpp"

namespace ringmaster::apps {

namespace {

using storage::change_plan;

void print(const change_plan& plan, const std::string& database, bool dry_run, bool json) {
  if (json) {
    nlohmann::json document{{"database", database}, {"dry_run", dry_run}, {"steps", nlohmann::json::array()}};
    for (const auto& step : plan.steps)
      document["steps"].push_back({{"number", step.number}, {"name", step.name}, {"statements", step.statements}});
    document["notes"] = plan.notes;
    std::printf("%s\n", document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    return;
  }
  for (const auto& step : plan.steps) {
    const auto number = step.number == 0 ? "" : std::to_string(step.number) + ' ';
    std::printf("%s %s%s\n", dry_run ? "pending:" : "done:", number.c_str(), step.name.c_str());
    if (dry_run)
      for (const auto& statement : step.statements)
        std::printf("%s;\n", statement.c_str());
  }
  for (const auto& note : plan.notes)
    std::printf("note: %s\n", note.c_str());
  if (plan.steps.empty())
    std::printf("%s: up to date\n", database.c_str());
  else
    std::printf("database: %s\n", database.c_str());
}

/// Executes or, for a dry run, plans the change, and appends its steps and notes to `all`.
core::result<void> add(change_plan& all, storage::database& database, storage::schema_change what, bool dry_run) {
  auto some = dry_run ? database.plan(what) : database.change(what);
  if (!some)
    return tl::unexpected<core::error>{some.error()};
  for (auto& step : some->steps) {
    step.number = 0;
    all.steps.push_back(std::move(step));
  }
  all.notes.insert(all.notes.end(), some->notes.begin(), some->notes.end());
  return {};
}

/// Changes XXL-JOB's tables first: they decide whether Ringmaster's can be added. A new database has none and gets the newest.
core::result<change_plan> change(storage::database& database, const migrate_options& options) {
  change_plan all;
  auto known = database.pending_migrations();
  const bool is_fresh = known && !known->empty() && known->front().number == 1;
  if (options.xxl && !is_fresh)
    if (auto done = add(all, database, storage::schema_change::xxl_release, options.dry_run); !done)
      return tl::unexpected<core::error>{done.error()};
  auto pending = options.xxl && options.dry_run && !known ? core::result<std::vector<storage::migration_step>>{}
                                                          : database.pending_migrations();
  if (!pending)
    return tl::unexpected<core::error>{pending.error()};
  if (!options.dry_run && !pending->empty())
    if (auto done = database.migrate(); !done)
      return tl::unexpected<core::error>{done.error()};
  all.steps.insert(all.steps.end(), pending->begin(), pending->end());
  if (!options.lean.empty() && !(is_fresh && options.dry_run))
    if (auto done = add(all, database, options.lean == "on" ? storage::schema_change::lean_log : storage::schema_change::full_log,
                        options.dry_run);
        !done)
      return tl::unexpected<core::error>{done.error()};
  return all;
}

} // namespace

int migrate(const migrate_options& options) {
  auto what = assemble(options.config);
  if (!what)
    return complain(what.error());
  if (!options.new_database)
    if (auto there = check_database_is_there(what->settings); !there)
      return complain(there.error());
  if (!options.dry_run)
    if (auto ready = prepare_database_folder(what->settings); !ready)
      return complain(ready.error());
  auto database = make_database(*what);
  if (!database)
    return complain(database.error());
  auto done = change(**database, options);
  if (!done)
    return complain(done.error());
  print(*done, (*database)->description(), options.dry_run, options.json);
  return exit_done;
}

} // namespace ringmaster::apps
