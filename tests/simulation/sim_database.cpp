#include "tests/simulation/sim_database.hpp"

#include <atomic>
#include <string>

#include "storage/datetime_text.hpp"
#include "storage/sqlite/schema.hpp"
#include "storage/sqlite/sqlite_store.hpp"
#include "tests/support/memory_database.hpp"

namespace ringmaster::simulation {

namespace {

/// Databases in memory are the whole process's, and runs are side by side.
std::string new_name() {
  static std::atomic<std::uint64_t> made{0};
  return "file:/simulation-" + std::to_string(made++) + "?vfs=memdb";
}

} // namespace

sim_database::sim_database() {
  where_.file = new_name();
  where_.uri = true;
  where_.create = true;
  tables_ = test::expect(storage::sqlite::connection::open(where_));
  test::expect(storage::sqlite::bring_up_to_date(*tables_, where_));
}

std::unique_ptr<storage::store> sim_database::open() const {
  return std::make_unique<storage::sqlite::sqlite_store>(
    storage::sqlite::session{test::expect(storage::sqlite::connection::open(where_)), storage::datetime_text{core::zone{}}, {}});
}

} // namespace ringmaster::simulation
