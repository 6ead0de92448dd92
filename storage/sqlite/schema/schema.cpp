#include "storage/sqlite/schema/schema.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sqlite3.h>

#include "storage/migrations.hpp"

namespace ringmaster::storage::sqlite {

namespace {

constexpr char count_tables[] =
  "SELECT count(*), sum(name = 'rm_migration') FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
constexpr char list_applied[] = "SELECT number FROM rm_migration ORDER BY number";
constexpr char create_list[] = "CREATE TABLE IF NOT EXISTS rm_migration (number INTEGER PRIMARY KEY, name VARCHAR(64) NOT NULL)";
constexpr char note_step[] = "INSERT INTO rm_migration (number, name) VALUES (?1, ?2)";

/// The contents of the file, read inside a transaction.
struct inventory {
  bool empty = true;
  bool ours = false;
  std::vector<int> applied;
};

inventory take_inventory(connection& db) {
  inventory found;
  auto counting = db.prepare(count_tables);
  if (counting.with().step()) {
    found.empty = counting.number(0) == 0;
    found.ours = counting.number(1) == 1;
  }
  if (found.ours) {
    auto listing = db.prepare(list_applied);
    listing.with();
    while (listing.step())
      found.applied.push_back(listing.small(0));
  }
  return found;
}

core::result<std::vector<migration_step>> missing(connection& db, const inventory& found) {
  if (!found.empty && !found.ours)
    return core::fail(core::errc::unsupported, "the file " + db.file() + " has tables, but not those of Ringmaster");
  return steps_to_run(sqlite_migrations(), found.applied);
}

core::error copy_failed(const std::string& to, const std::string& why) {
  return {core::errc::unavailable, "cannot copy the database to " + to + " before the migration: " + why};
}

/// Copies the file through a separate reader, which sees it as last committed.
core::result<void> copy_file(const open_options& options, const std::string& to) {
  auto unfinished = to + ".part";
  std::remove(unfinished.c_str());
  auto source_options = options;
  source_options.create = false;
  source_options.statement_timeout = std::chrono::milliseconds{0};
  auto source = connection::open(source_options);
  auto target_options = source_options;
  target_options.file = unfinished;
  target_options.create = true;
  auto target = connection::open(target_options);
  if (!source || !target)
    return tl::unexpected{copy_failed(to, (source ? target : source).error().context)};
  // A copy is one file: without WAL there are no files next to it.
  (*target)->execute("PRAGMA journal_mode=DELETE");
  auto* copying = sqlite3_backup_init((*target)->handle(), "main", (*source)->handle(), "main");
  int code = copying == nullptr ? SQLITE_ERROR : sqlite3_backup_step(copying, -1);
  sqlite3_backup_finish(copying);
  if (code != SQLITE_DONE)
    return tl::unexpected{copy_failed(to, sqlite3_errmsg((*target)->handle()))};
  target->reset();
  if (std::rename(unfinished.c_str(), to.c_str()) != 0)
    return tl::unexpected{copy_failed(to, std::strerror(errno))};
  return {};
}

core::result<void> run_steps(connection& db, const open_options& options) {
  auto found = take_inventory(db);
  auto steps = missing(db, found);
  if (!steps)
    return tl::unexpected{steps.error()};
  if (steps->empty())
    return {};
  if (!found.empty && !options.uri)
    if (auto copied = copy_file(options, options.file + ".before-" + std::to_string(steps->front().number)); !copied)
      return copied;
  db.execute(create_list);
  for (const auto& step : *steps) {
    for (const auto& statement : step.statements)
      db.execute(statement.c_str());
    db.run(note_step, step.number, step.name);
  }
  return {};
}

} // namespace

core::result<std::vector<migration_step>> missing_steps(connection& db) {
  return within(db, transaction_kind::read, [](connection& open) { return missing(open, take_inventory(open)); });
}

core::result<void> bring_up_to_date(connection& db, const open_options& options) {
  return within(db, transaction_kind::write, [&options](connection& open) { return run_steps(open, options); });
}

} // namespace ringmaster::storage::sqlite
