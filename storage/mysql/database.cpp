#include "storage/mysql/database.hpp"

#include <algorithm>

#include <mysql/mysqld_error.h>

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
#include "storage/mysql/admin/admin_session.hpp"
#include "storage/mysql/cluster/cluster.hpp"
#include "storage/mysql/cluster/registry.hpp"
#include "storage/mysql/driver/schema_read.hpp"
#include "storage/mysql/firing/firing.hpp"
#include "storage/mysql/firing/mirror.hpp"
#include "storage/mysql/jobs/deploys.hpp"
#include "storage/mysql/maintenance/log_maintenance.hpp"
#include "storage/mysql/results/alarms.hpp"
#include "storage/mysql/schema/examine.hpp"
#include "storage/mysql/schema/xxl_upgrade.hpp"
#include "storage/mysql/shared/reservations.hpp"

namespace ringmaster::storage {

namespace mysql {

namespace {

/// Maximum time that a migration waits for a migration by another process, and time limit of each of its statements.
constexpr auto migration_wait = std::chrono::seconds{60};
constexpr auto migration_statement = std::chrono::hours{1};
/// The step that creates XXL's tables.
constexpr int tables_step = 1;
/// Name of that step where XXL's tables existed before Ringmaster: such a database begins in shared mode.
constexpr const char* found_tables = "xxl_tables, found";
/// Not a step: this number is stored from before the first table until the end of the step that creates the tables, so that
/// tables of an interrupted migration are never taken for XXL-JOB's.
constexpr int making_tables = 0;

class mysql_store final : public store {
public:
  mysql_store(const connection_settings& settings, const store_options& options, std::shared_ptr<process_connections> own)
    : session_{settings, options.database_zone, options.schedule_zone,
               {options.language, options.tail.value_or(core::trigger_tail::remark), !options.tail}, std::move(own)} {}

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
  reservation_store* reservations() override { return &reservations_; }

  core::result<void> ping() override {
    return session_.db.read([this]() -> core::result<void> {
      session_.db.command("DO 1");
      return {};
    });
  }

  [[nodiscard]] session& own() noexcept { return session_; }

private:
  session session_;
  mysql_admin_session admin_{session_};
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
  reservation_role reservations_{session_};
};

/// Returns the steps of Ringmaster's schema that are to be run. XXL's tables are created where there are none, and never
/// completed or changed where there are some. Throws `driver_error`, as the next two.
core::result<std::vector<migration_step>> pending(connection& db, const schema_facts& facts) {
  std::vector<int> applied;
  const bool ours = facts.table("rm_migration") != nullptr;
  if (ours) {
    auto steps = db.query("SELECT number FROM rm_migration ORDER BY number");
    while (steps.next())
      applied.push_back(steps.number32(0));
  }
  const bool broken_off = std::erase(applied, making_tables) > 0;
  const auto verdict = classify(facts);
  const bool made = std::find(applied.begin(), applied.end(), tables_step) != applied.end();
  // A migration of ours that was interrupted while creating XXL's tables continues, whatever is missing of them.
  if (ours && applied.empty() && (broken_off || !(verdict.how == schema_verdict::kind::usable && facts.lock_row)))
    return steps_to_run(mysql_migrations(), applied);
  if (verdict.how == schema_verdict::kind::unusable || (made && verdict.how == schema_verdict::kind::fresh))
    return core::fail(core::errc::unsupported,
                      "the tables of XXL-JOB: " + (made && verdict.text.empty() ? "they do not exist any more" : verdict.text)
                        + "; nothing was changed");
  if (const auto bare = without_transactions(facts); !bare.empty())
    return core::fail(core::errc::unsupported, "a table does not support transactions: " + bare.front()
                                                 + "; `ringmaster migrate --xxl` moves it to InnoDB");
  if (verdict.how == schema_verdict::kind::usable && !made)
    applied.push_back(tables_step);
  return steps_to_run(mysql_migrations(), applied);
}

/// Takes the server's lock against two migrations at once; the lock ends with the connection.
bool lock_migrations(connection& db) {
  auto got = db.query("SELECT GET_LOCK(CONCAT('ringmaster migrate ', LEFT(MD5(DATABASE()), 16)), ?)",
                      std::int64_t{migration_wait.count()});
  return got.next() && got.number(0) == 1;
}

/// Runs a step and skips what an interrupted migration has already done: a step is not a transaction, and not all servers support
/// IF NOT EXISTS for columns.
void run_once(connection& db, const std::string& text) {
  try {
    db.command(text);
  } catch (const driver_error& failure) {
    if (failure.number() != ER_DUP_FIELDNAME)
      throw;
  }
}

/// `found`: XXL's tables existed before Ringmaster.
void run(connection& db, const std::vector<migration_step>& steps, bool found) {
  // Created first, so that tables of an interrupted migration are recognised as ours.
  db.command("CREATE TABLE IF NOT EXISTS rm_migration (number INT NOT NULL, name VARCHAR(64) NOT NULL, PRIMARY KEY (number))"
             " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin");
  if (found)
    db.execute("INSERT IGNORE INTO rm_migration (number, name) VALUES (?, ?)", tables_step, found_tables);
  for (const auto& step : steps) {
    if (step.number == tables_step)
      db.execute("INSERT IGNORE INTO rm_migration (number, name) VALUES (?, ?)", making_tables, step.name);
    for (const auto& text : step.statements)
      run_once(db, text);
    if (step.number == tables_step)
      db.execute("UPDATE rm_migration SET number = ? WHERE number = ?", tables_step, making_tables);
    else
      db.execute("INSERT INTO rm_migration (number, name) VALUES (?, ?)", step.number, step.name);
  }
}

/// Throws `driver_error`.
core::result<change_plan> plan_of(const schema_facts& facts, schema_change what) {
  if (const auto verdict = classify(facts); verdict.how != schema_verdict::kind::usable)
    return core::fail(core::errc::unsupported, verdict.how == schema_verdict::kind::fresh
                                                 ? "the database has no tables yet: run `ringmaster migrate`"
                                                 : "the tables of XXL-JOB: " + verdict.text + "; nothing was changed");
  switch (what) {
  case schema_change::xxl_release: return upgrade_plan(facts);
  case schema_change::lean_log: return lean_plan(facts);
  case schema_change::full_log: return full_plan(facts);
  case schema_change::shared_index: return shared_index_plan(facts);
  }
  return change_plan{};
}

/// Repeats a step: a running Java admin may register an executor twice between the removal of duplicates and the unique key.
void run_step(connection& db, const migration_step& step) {
  constexpr int rounds_max = 5;
  for (int round = 1;; ++round)
    try {
      for (const auto& text : step.statements)
        db.command(text);
      return;
    } catch (const driver_error& failure) {
      if (failure.number() != ER_DUP_ENTRY || round == rounds_max)
        throw;
    }
}

} // namespace

mysql_database::mysql_database(connection_settings settings, store_options options)
  : settings_{std::move(settings)}, options_{std::move(options)} {}

core::result<std::unique_ptr<store>> mysql_database::open() {
  auto out = std::make_unique<mysql_store>(settings_, options_, own_);
  const auto missing = out->own().db.read([&] { return pending(out->own().db, out->own().facts); });
  if (!missing)
    return tl::unexpected{missing.error()};
  if (!missing->empty())
    return core::fail(core::errc::unsupported, "the schema lacks step " + std::to_string(missing->front().number) + " (" +
                                                 missing->front().name + "); run `ringmaster migrate`");
  return out;
}

core::result<std::unique_ptr<store>> mysql_database::open_to_look() {
  auto out = std::make_unique<mysql_store>(settings_, options_, own_);
  const auto usable = out->own().db.read([&]() -> core::result<bool> {
    const auto& facts = out->own().facts;
    if (facts.table("rm_migration"))
      return false;
    const auto verdict = classify(facts);
    if (verdict.how == schema_verdict::kind::fresh)
      return core::fail(core::errc::unsupported, description() + " has no tables of XXL-JOB");
    if (verdict.how == schema_verdict::kind::unusable)
      return core::fail(core::errc::unsupported, "the tables of XXL-JOB: " + verdict.text);
    out->own().shape.own_tables = false;
    return true;
  });
  if (!usable)
    return tl::unexpected{usable.error()};
  return *usable ? core::result<std::unique_ptr<store>>{std::move(out)} : open();
}

core::result<std::vector<migration_step>> mysql_database::pending_migrations() {
  connection db{settings_};
  return db.read([&] { return pending(db, read_schema(db)); });
}

core::result<void> mysql_database::migrate() {
  auto patient = settings_;
  patient.statement_timeout = migration_statement;
  connection db{patient};
  return db.read([&]() -> core::result<void> {
    if (!lock_migrations(db))
      return core::fail(core::errc::unavailable, "another process is migrating the database");
    const auto facts = read_schema(db);
    const auto steps = pending(db, facts);
    if (!steps)
      return tl::unexpected{steps.error()};
    if (!steps->empty())
      run(db, *steps, classify(facts).how == schema_verdict::kind::usable && steps->front().number != tables_step);
    return {};
  });
}

core::result<change_plan> mysql_database::plan(schema_change what) {
  connection db{settings_};
  return db.read([&] { return plan_of(read_schema(db), what); });
}

core::result<change_plan> mysql_database::change(schema_change what) {
  auto patient = settings_;
  patient.statement_timeout = migration_statement;
  connection db{patient};
  return db.read([&]() -> core::result<change_plan> {
    if (!lock_migrations(db))
      return core::fail(core::errc::unavailable, "another process is migrating the database");
    auto planned = plan_of(read_schema(db), what);
    if (planned)
      for (const auto& step : planned->steps)
        run_step(db, step);
    return planned;
  });
}

core::result<int> mysql_database::generation() {
  connection db{settings_};
  return db.read([&]() -> core::result<int> { return classify(read_schema(db)).generation; });
}

std::vector<database_finding> mysql_database::examine(const std::function<bool()>& go_on) {
  connection db{settings_};
  auto found = db.read([&]() -> core::result<std::vector<database_finding>> {
    return mysql::examine(db, read_schema(db), options_, go_on);
  });
  if (found)
    return std::move(*found);
  return {{database_finding::level::failure, "database", description() + ": " + found.error().context}};
}

std::string mysql_database::description() const { return "mysql " + settings_.where.description(); }

} // namespace mysql

core::result<std::unique_ptr<database>> make_mysql_database(const config::database_settings& settings,
                                                            const store_options& options) {
  auto where = mysql::parse_url(settings.url);
  if (!where)
    return tl::unexpected{where.error()};
  return std::make_unique<mysql::mysql_database>(
    mysql::connection_settings{std::move(*where), settings.connect_timeout, settings.statement_timeout}, options);
}

} // namespace ringmaster::storage
