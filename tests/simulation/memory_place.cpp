#include "tests/simulation/memory_place.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>

#include <sqlite3.h>

#include "storage/sqlite/schema/schema.hpp"
#include "tests/support/memory_database.hpp"

namespace ringmaster::simulation {

using storage::sqlite::connection;
using storage::sqlite::open_options;

open_options new_memory_place() {
  static std::atomic<std::uint64_t> made{0};
  open_options where;
  where.file = "file:/simulation-" + std::to_string(made++) + "?vfs=memdb";
  where.uri = true;
  where.create = true;
  return where;
}

void copy_pages(connection& from, connection& to) {
  auto* backup = sqlite3_backup_init(to.handle(), "main", from.handle(), "main");
  const bool copied = backup != nullptr && sqlite3_backup_step(backup, -1) == SQLITE_DONE;
  if (sqlite3_backup_finish(backup) != SQLITE_OK || !copied)
    throw std::runtime_error{"a database could not be copied"};
}

void make_tables(connection& in) {
  static std::mutex guard;
  static std::unique_ptr<connection> pattern;
  const std::lock_guard lock{guard};
  if (!pattern) {
    const auto where = new_memory_place();
    pattern = test::expect(connection::open(where));
    test::expect(storage::sqlite::bring_up_to_date(*pattern, where));
  }
  copy_pages(*pattern, in);
}

} // namespace ringmaster::simulation
