#include "tests/simulation/sim_database.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>

#include <sqlite3.h>

#include "storage/rows/datetime_text.hpp"
#include "storage/sqlite/database.hpp"
#include "storage/sqlite/schema/schema.hpp"
#include "tests/simulation/played_schedule.hpp"
#include "tests/support/memory_database.hpp"

namespace ringmaster::simulation {

namespace {

using storage::sqlite::connection;
using storage::sqlite::open_options;

/// Returns a new place in memory. Databases in memory are shared by the process, and runs are parallel.
open_options new_place() {
  static std::atomic<std::uint64_t> made{0};
  open_options where;
  where.file = "file:/simulation-" + std::to_string(made++) + "?vfs=memdb";
  where.uri = true;
  where.create = true;
  return where;
}

/// Replaces all pages of `to` by those of `from`.
void copy_pages(connection& from, connection& to) {
  auto* backup = sqlite3_backup_init(to.handle(), "main", from.handle(), "main");
  const bool copied = backup != nullptr && sqlite3_backup_step(backup, -1) == SQLITE_DONE;
  if (sqlite3_backup_finish(backup) != SQLITE_OK || !copied)
    throw std::runtime_error{"a database could not be copied"};
}

/// The tables of a new database: made once, and copied for each run.
void make_tables(connection& in) {
  static std::mutex guard;
  static std::unique_ptr<connection> pattern;
  const std::lock_guard lock{guard};
  if (!pattern) {
    const auto where = new_place();
    pattern = test::expect(connection::open(where));
    test::expect(storage::sqlite::bring_up_to_date(*pattern, where));
  }
  copy_pages(*pattern, in);
}

class sqlite_in_memory final : public sim_database {
public:
  explicit sqlite_in_memory(bool shared) : shared_{shared}, where_{new_place()}, tables_{test::expect(connection::open(where_))} {
    make_tables(*tables_);
  }

  std::unique_ptr<storage::store> open() override {
    return storage::sqlite::make_store({test::expect(connection::open(where_)), storage::datetime_text{core::zone{}}, {}});
  }
  connection* tables() noexcept override { return tables_.get(); }
  std::unique_ptr<shared_schedule> make_schedule(schedule_surroundings seen) override {
    return shared_ ? std::make_unique<played_schedule>(*tables_, std::move(seen)) : nullptr;
  }

  void copy() override {
    copied_ = test::expect(connection::open(new_place()));
    copy_pages(*tables_, *copied_);
  }
  void restore() override { copy_pages(*copied_, *tables_); }

private:
  bool shared_;
  open_options where_;
  /// The database lives as long as a connection to it.
  std::unique_ptr<connection> tables_;
  std::unique_ptr<connection> copied_;
};

} // namespace

std::unique_ptr<sim_database> make_memory_database(bool shared) { return std::make_unique<sqlite_in_memory>(shared); }

} // namespace ringmaster::simulation
