#include <cstdio>

#include "apps/assembly.hpp"
#include "apps/commands.hpp"
#include "apps/data_folder.hpp"
#include "apps/open_store.hpp"
#include "apps/report.hpp"
#include "config/declared_file.hpp"
#include "core/sqlite_url.hpp"

namespace ringmaster::apps {

namespace {

using database_ptr = std::unique_ptr<storage::database>;

/// What a first `apply` would find: the same schema, nothing in it, and nothing made on disk.
core::result<database_ptr> empty_copy(const assembled& node) {
  auto copy = node;
  copy.settings.database.url = core::sqlite_url(core::sqlite_memory);
  auto database = make_database(copy);
  if (database)
    if (auto made = (*database)->migrate(); !made)
      return tl::unexpected<core::error>{made.error()};
  return database;
}

/// Ready to open, and, for a dry run, as it was.
core::result<database_ptr> ready_database(const assembled& node, bool dry_run) {
  if (!dry_run)
    if (auto ready = prepare_database_folder(node.settings); !ready)
      return tl::unexpected<core::error>{ready.error()};
  auto database = make_database(node);
  if (!database)
    return database;
  if (!dry_run) {
    if (auto ready = prepare_schema(**database, node.settings); !ready)
      return tl::unexpected<core::error>{ready.error()};
    return database;
  }
  auto pending = (*database)->pending_migrations();
  if (!pending)
    return tl::unexpected<core::error>{pending.error()};
  return !pending->empty() && pending->front().number == 1 ? empty_copy(node) : std::move(database);
}

core::result<core::deploy_report> apply_files(const apply_options& options) {
  auto declared = config::load_declared({options.paths, ".", options.revision, options.source, "PATH"});
  if (!declared)
    return tl::unexpected<core::error>{declared.error()};
  auto what = assemble(options.config);
  if (!what)
    return tl::unexpected<core::error>{what.error()};
  if (auto known = check_channels(*declared, what->settings); !known)
    return tl::unexpected<core::error>{known.error()};
  auto database = ready_database(*what, options.dry_run);
  if (!database)
    return tl::unexpected<core::error>{database.error()};
  auto store = (*database)->open();
  if (!store)
    return tl::unexpected<core::error>{store.error()};
  auto report = (*store)->deploys().apply(*declared, options.dry_run, options.prune, system_now());
  if (report && !options.dry_run)
    report->on_their_way = wait_for_runs(**store, report->edited);
  return report;
}

} // namespace

int apply(const apply_options& options) {
  auto report = apply_files(options);
  if (!report)
    return complain(report.error());
  std::fputs((options.json ? describe_json(*report, options.dry_run) : describe(*report, options.dry_run)).c_str(), stdout);
  return exit_done;
}

} // namespace ringmaster::apps
