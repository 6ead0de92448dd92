#include <cstdio>

#include <nlohmann/json.hpp>

#include "apps/assembly.hpp"
#include "apps/commands.hpp"
#include "apps/data_folder.hpp"
#include "apps/report.hpp"

namespace ringmaster::apps {

namespace {

void print(const std::vector<storage::migration_step>& steps, const std::string& database, bool dry_run, bool json) {
  if (json) {
    nlohmann::json document{{"database", database}, {"dry_run", dry_run}, {"steps", nlohmann::json::array()}};
    for (const auto& step : steps)
      document["steps"].push_back({{"number", step.number}, {"name", step.name}, {"statements", step.statements}});
    std::printf("%s\n", document.dump().c_str());
    return;
  }
  for (const auto& step : steps) {
    std::printf("%s %d %s\n", dry_run ? "to run:" : "done:", step.number, step.name.c_str());
    if (dry_run)
      for (const auto& statement : step.statements)
        std::printf("%s;\n", statement.c_str());
  }
  if (steps.empty())
    std::printf("%s: up to date\n", database.c_str());
}

} // namespace

int migrate(const config_options& options, bool dry_run, bool json) {
  auto what = assemble(options);
  if (!what)
    return complain(what.error());
  if (!dry_run)
    if (auto ready = prepare_database_folder(what->settings); !ready)
      return complain(ready.error());
  auto database = make_database(*what);
  if (!database)
    return complain(database.error());
  auto pending = (*database)->pending_migrations();
  if (!pending)
    return complain(pending.error());
  if (!dry_run && !pending->empty())
    if (auto done = (*database)->migrate(); !done)
      return complain(done.error());
  print(*pending, (*database)->description(), dry_run, json);
  return exit_done;
}

} // namespace ringmaster::apps
