// `sqlite:PATH`: a file, or `sqlite::memory:`, which exists as long as this object or any of its stores.

#include <algorithm>
#include <filesystem>
#include <random>

#include "core/text/sqlite_url.hpp"
#include "storage/migrations.hpp"
#include "storage/open.hpp"
#include "storage/sqlite/roles/sqlite_store.hpp"
#include "storage/sqlite/schema/examine.hpp"
#include "storage/sqlite/schema/schema.hpp"

namespace ringmaster::storage {

namespace {

class sqlite_database final : public database {
public:
  sqlite_database(sqlite::open_options where, store_options options) : where_{std::move(where)}, options_{std::move(options)} {}

  core::result<void> start() {
    if (!where_.uri)
      return {};
    auto anchor = sqlite::connection::open(where_);
    if (!anchor)
      return tl::unexpected{anchor.error()};
    anchor_ = std::move(*anchor);
    return {};
  }

  core::result<std::unique_ptr<store>> open() override {
    auto steps = pending_migrations();
    if (!steps)
      return tl::unexpected{steps.error()};
    if (!steps->empty())
      return core::fail(core::errc::unsupported,
                        "the schema of " + description() + " is older than this release: run `ringmaster migrate`");
    auto db = sqlite::connection::open(existing());
    if (!db)
      return tl::unexpected{db.error()};
    return std::make_unique<sqlite::sqlite_store>(
      sqlite::session{std::move(*db), datetime_text{options_.database_zone}, options_.schedule_zone, options_.language});
  }

  core::result<std::vector<migration_step>> pending_migrations() override {
    // A check must not create the file.
    if (!where_.uri && !std::filesystem::exists(where_.file))
      return steps_to_run(sqlite_migrations(), {});
    auto where = existing();
    where.look = true;
    auto db = sqlite::connection::open(where);
    if (!db)
      return tl::unexpected{db.error()};
    return sqlite::missing_steps(**db);
  }

  core::result<void> migrate() override {
    auto steps = pending_migrations();
    if (!steps)
      return tl::unexpected{steps.error()};
    if (steps->empty())
      return {};
    auto where = where_;
    // A migration has no time limit.
    where.statement_timeout = std::chrono::milliseconds{0};
    auto db = sqlite::connection::open(where);
    if (!db)
      return tl::unexpected{db.error()};
    return sqlite::bring_up_to_date(**db, where);
  }

  // The tables are those of the newest release from the beginning, and the log has never had unneeded indexes.
  core::result<change_plan> plan(schema_change what) override {
    if (what == schema_change::full_log || what == schema_change::shared_index)
      return core::fail(core::errc::unsupported, "only Java admins need these indexes, and they cannot read an SQLite database");
    change_plan nothing;
    nothing.notes.emplace_back(what == schema_change::lean_log ? "the log of an SQLite database is always lean"
                                                               : "an SQLite database always has the newest tables");
    return nothing;
  }

  core::result<change_plan> change(schema_change what) override { return plan(what); }

  /// Returns the newest released generation, whose tables Ringmaster creates.
  core::result<int> generation() override { return 7; }

  std::vector<database_finding> examine() override {
    auto where = existing();
    where.look = true;
    auto db = sqlite::connection::open(where);
    if (!db)
      return {{database_finding::level::failure, "database", db.error().context}};
    auto found = sqlite::examine(**db, options_);
    if (!found)
      return {{database_finding::level::failure, "database", found.error().context}};
    return std::move(*found);
  }

  int writers() const noexcept override { return 1; }

  std::string description() const override { return where_.uri ? "sqlite :memory:" : "sqlite " + where_.file; }

private:
  [[nodiscard]] sqlite::open_options existing() const {
    auto where = where_;
    where.create = where.uri;
    return where;
  }

  sqlite::open_options where_;
  store_options options_;
  /// Keeps an in-memory database alive.
  std::unique_ptr<sqlite::connection> anchor_;
};

/// Returns a name in SQLite's table of in-memory databases, which the whole process shares.
std::string memory_uri() {
  std::random_device random;
  return "file:/ringmaster-" + std::to_string(random()) + '-' + std::to_string(random()) + "?vfs=memdb";
}

} // namespace

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
    where.file = memory_uri();
    where.uri = true;
  }
  auto made = std::make_unique<sqlite_database>(std::move(where), options);
  if (auto started = made->start(); !started)
    return tl::unexpected{started.error()};
  return made;
}

} // namespace ringmaster::storage
