#include "storage/mysql/database.hpp"

#include "storage/migrations.hpp"
#include "storage/mysql/cluster.hpp"
#include "storage/mysql/deploys.hpp"
#include "storage/mysql/firing.hpp"
#include "storage/mysql/logs.hpp"
#include "storage/mysql/registry.hpp"
#include "storage/mysql/reservations.hpp"

namespace ringmaster::storage {

namespace mysql {

namespace {

/// How long a migration waits for one that another process runs, and how long one of its statements may take.
constexpr auto migration_wait = std::chrono::seconds{60};
constexpr auto migration_statement = std::chrono::hours{1};

class mysql_store final : public store {
public:
  mysql_store(const connection_settings& settings, const store_options& options, std::shared_ptr<process_connections> own)
    : session_{settings, options.database_zone, options.schedule_zone, {options.language}, std::move(own)} {}

  firing_store& firings() override { return firings_; }
  cluster_store& cluster() override { return cluster_; }
  registry_store& registry() override { return registry_; }
  deploy_store& deploys() override { return deploys_; }
  log_store& logs() override { return logs_; }
  reservation_store* reservations() override { return &reservations_; }

  core::result<void> ping() override {
    return session_.db.read([this]() -> core::result<void> {
      session_.db.command("DO 1");
      return {};
    });
  }

  [[nodiscard]] connection& db() noexcept { return session_.db; }

private:
  session session_;
  firing_role firings_{session_};
  cluster_role cluster_{session_};
  registry_role registry_{session_};
  deploy_role deploys_{session_};
  log_role logs_{session_};
  reservation_role reservations_{session_};
};

/// Throws `driver_error`, as the next two.
core::result<std::vector<migration_step>> pending(connection& db) {
  bool ours = false;
  bool foreign = false;
  auto tables = db.query("SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()"
                         " AND (TABLE_NAME LIKE 'xxl\\_job\\_%' OR TABLE_NAME = 'rm_migration')");
  while (tables.next())
    (tables.text(0) == "rm_migration" ? ours : foreign) = true;
  if (!ours && foreign)
    return core::fail(core::errc::unsupported,
                      "the database holds tables of XXL-JOB that Ringmaster did not create; this release cannot use "
                      "them and has changed nothing; give it a database of its own (database.url)");
  std::vector<int> applied;
  if (ours) {
    auto steps = db.query("SELECT number FROM rm_migration ORDER BY number");
    while (steps.next())
      applied.push_back(steps.number32(0));
  }
  return steps_to_run(mysql_migrations(), applied);
}

/// The server's lock against two migrations at once; it goes with the connection.
bool lock_migrations(connection& db) {
  auto got = db.query("SELECT GET_LOCK(CONCAT('ringmaster migrate ', LEFT(MD5(DATABASE()), 16)), ?)",
                      std::int64_t{migration_wait.count()});
  return got.next() && got.number(0) == 1;
}

void run(connection& db, const std::vector<migration_step>& steps) {
  // First of all: tables that a broken-off migration leaves are then known as ours.
  db.command("CREATE TABLE IF NOT EXISTS rm_migration (number INT NOT NULL, name VARCHAR(64) NOT NULL, PRIMARY KEY (number))"
             " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin");
  for (const auto& step : steps) {
    for (const auto& text : step.statements)
      db.command(text);
    db.execute("INSERT INTO rm_migration (number, name) VALUES (?, ?)", step.number, step.name);
  }
}

} // namespace

mysql_database::mysql_database(connection_settings settings, store_options options)
  : settings_{std::move(settings)}, options_{std::move(options)} {}

core::result<std::unique_ptr<store>> mysql_database::open() {
  auto out = std::make_unique<mysql_store>(settings_, options_, own_);
  const auto missing = out->db().read([&] { return pending(out->db()); });
  if (!missing)
    return tl::unexpected{missing.error()};
  if (!missing->empty())
    return core::fail(core::errc::unsupported, "the schema lacks step " + std::to_string(missing->front().number) + " (" +
                                                 missing->front().name + "); run `ringmaster migrate`");
  return out;
}

core::result<std::vector<migration_step>> mysql_database::pending_migrations() {
  connection db{settings_};
  return db.read([&] { return pending(db); });
}

core::result<void> mysql_database::migrate() {
  auto patient = settings_;
  patient.statement_timeout = migration_statement;
  connection db{patient};
  return db.read([&]() -> core::result<void> {
    if (!lock_migrations(db))
      return core::fail(core::errc::unavailable, "another process migrates the database");
    const auto steps = pending(db);
    if (!steps)
      return tl::unexpected{steps.error()};
    if (!steps->empty())
      run(db, *steps);
    return {};
  });
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
