// `sqlite:PATH`: a file, or `sqlite::memory:`.

#include "storage/sqlite/database.hpp"

#include <algorithm>
#include <filesystem>
#include <random>

#include "core/text/sqlite_url.hpp"
#include "storage/admin/access.hpp"
#include "storage/admin/exports.hpp"
#include "storage/admin/group_writes.hpp"
#include "storage/admin/job_edits.hpp"
#include "storage/admin/job_writes.hpp"
#include "storage/admin/kept_logs.hpp"
#include "storage/admin/logs.hpp"
#include "storage/admin/object_searches.hpp"
#include "storage/admin/run_reads.hpp"
#include "storage/elastic/alarm_role.hpp"
#include "storage/elastic/elastic_role.hpp"
#include "storage/elastic/job_reads.hpp"
#include "storage/migrations.hpp"
#include "storage/sqlite/admin/admin_session.hpp"
#include "storage/sqlite/cluster/cluster.hpp"
#include "storage/sqlite/cluster/registry.hpp"
#include "storage/sqlite/firing/firing.hpp"
#include "storage/sqlite/firing/mirror.hpp"
#include "storage/sqlite/jobs/deploys.hpp"
#include "storage/sqlite/maintenance/log_maintenance.hpp"
#include "storage/sqlite/results/alarms.hpp"
#include "storage/sqlite/schema/examine.hpp"
#include "storage/sqlite/schema/schema.hpp"

namespace ringmaster::storage {

namespace sqlite {

namespace {

class sqlite_store final : public store {
public:
  explicit sqlite_store(session opened) : session_{std::move(opened)} {}

  firing_store& firings() override { return firings_; }
  cluster_store& cluster() override { return cluster_; }
  registry_store& registry() override { return registry_; }
  deploy_store& deploys() override { return deploys_; }
  job_store& jobs() override { return jobs_; }
  job_editor& job_editing() override { return job_editing_; }
  group_editor& group_editing() override { return group_editing_; }
  log_store& logs() override { return logs_; }
  alarm_store& alarms() override { return all_alarms_; }
  maintenance_store& maintenance() override { return maintenance_; }
  mirror_store& mirror() override { return mirror_; }
  run_reader& run_reading() override { return runs_; }
  user_store& users() override { return users_; }
  session_store& sessions() override { return sessions_; }
  api_key_store& api_keys() override { return api_keys_; }
  audit_store& audits() override { return audits_; }
  export_store& exports() override { return exports_; }
  kept_log_store& kept_logs() override { return kept_logs_; }
  search_store& searches() override { return searches_; }
  elastic_store& elastic() override { return elastic_; }

  core::result<void> ping() override {
    return within(*session_.db, transaction_kind::read, [](connection& db) -> core::result<void> {
      db.run("SELECT 1");
      return {};
    });
  }

private:
  session session_;
  sqlite_admin_session admin_{session_};
  firing_role firings_{session_};
  cluster_role cluster_{session_};
  registry_role registry_{session_};
  deploy_role deploys_{session_, admin_};
  job_role jobs_{admin_};
  job_editor_role job_editing_{admin_};
  group_editor_role group_editing_{admin_};
  log_role logs_{admin_};
  alarm_role alarms_{session_, logs_};
  maintenance_role maintenance_{session_};
  mirror_role mirror_{session_};
  run_role runs_{admin_};
  user_role users_{admin_};
  session_role sessions_{admin_};
  api_key_role api_keys_{admin_};
  audit_role audits_{admin_};
  export_role exports_{admin_, elastic_jobs_after};
  kept_log_role kept_logs_{admin_};
  search_role searches_{admin_};
  elastic_role elastic_{admin_};
  all_alarms_role all_alarms_{admin_, alarms_};
};

/// Returns a name in SQLite's table of in-memory databases, which the whole process shares.
std::string memory_uri() {
  std::random_device random;
  return "file:/ringmaster-" + std::to_string(random()) + '-' + std::to_string(random()) + "?vfs=memdb";
}

} // namespace

sqlite_database::sqlite_database(open_options where, store_options options)
  : where_{std::move(where)}, options_{std::move(options)} {}

core::result<void> sqlite_database::start() {
  if (!where_.uri)
    return {};
  auto anchor = connection::open(where_);
  if (!anchor)
    return tl::unexpected{anchor.error()};
  anchor_ = std::move(*anchor);
  return {};
}

core::result<std::unique_ptr<store>> sqlite_database::open() {
  auto steps = pending_migrations();
  if (!steps)
    return tl::unexpected{steps.error()};
  if (!steps->empty())
    return core::fail(core::errc::unsupported,
                      "the schema of " + description() + " is older than this release: run `ringmaster migrate`");
  auto db = connection::open(existing());
  if (!db)
    return tl::unexpected{db.error()};
  return make_store(session{std::move(*db), datetime_text{options_.database_zone}, options_.schedule_zone, options_.language});
}

core::result<std::vector<migration_step>> sqlite_database::pending_migrations() {
  // A check must not create the file.
  if (!where_.uri && !std::filesystem::exists(where_.file))
    return steps_to_run(sqlite_migrations(), {});
  auto where = existing();
  where.look = true;
  auto db = connection::open(where);
  if (!db)
    return tl::unexpected{db.error()};
  return missing_steps(**db);
}

core::result<void> sqlite_database::migrate() {
  auto steps = pending_migrations();
  if (!steps)
    return tl::unexpected{steps.error()};
  if (steps->empty())
    return {};
  auto where = where_;
  // A migration has no time limit.
  where.statement_timeout = std::chrono::milliseconds{0};
  auto db = connection::open(where);
  if (!db)
    return tl::unexpected{db.error()};
  return bring_up_to_date(**db, where);
}

// The tables are those of the newest release from the beginning, and the log has never had unneeded indexes.
core::result<change_plan> sqlite_database::plan(schema_change what) {
  if (what == schema_change::full_log || what == schema_change::shared_index)
    return core::fail(core::errc::unsupported, "only Java admins need these indexes, and they cannot read an SQLite database");
  change_plan nothing;
  nothing.notes.emplace_back(what == schema_change::lean_log ? "the log of an SQLite database is always lean"
                                                             : "an SQLite database always has the newest tables");
  return nothing;
}

core::result<change_plan> sqlite_database::change(schema_change what) { return plan(what); }

// The newest released generation, whose tables Ringmaster creates.
core::result<int> sqlite_database::generation() { return 7; }

std::vector<database_finding> sqlite_database::examine(const std::function<bool()>& go_on) {
  auto where = existing();
  where.look = true;
  auto db = connection::open(where);
  if (!db)
    return {{database_finding::level::failure, "database", db.error().context}};
  auto found = sqlite::examine(**db, options_, go_on);
  if (!found)
    return {{database_finding::level::failure, "database", found.error().context}};
  return std::move(*found);
}

std::string sqlite_database::description() const { return where_.uri ? "sqlite :memory:" : "sqlite " + where_.file; }

open_options sqlite_database::existing() const {
  auto where = where_;
  where.create = where.uri;
  return where;
}

std::unique_ptr<store> make_store(session opened) { return std::make_unique<sqlite_store>(std::move(opened)); }

} // namespace sqlite

core::result<std::unique_ptr<database>> make_sqlite_database(const config::database_settings& settings,
                                                             const store_options& options) {
  const auto path = core::sqlite_path(settings.url);
  if (!path || path->empty())
    return core::fail(core::errc::invalid_argument, "invalid URL of an SQLite database, expected sqlite:PATH");
  sqlite::open_options where;
  where.file = *path;
  where.create = true;
  where.busy_timeout = settings.statement_timeout;
  where.statement_timeout = settings.statement_timeout;
  if (*path == core::sqlite_memory) {
    where.file = sqlite::memory_uri();
    where.uri = true;
  }
  auto made = std::make_unique<sqlite::sqlite_database>(std::move(where), options);
  if (auto started = made->start(); !started)
    return tl::unexpected{started.error()};
  return made;
}

} // namespace ringmaster::storage
