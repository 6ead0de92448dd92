#pragma once

// The database of a run, with one more connection for other programs that change its tables.

#include <functional>
#include <memory>

#include "storage/sqlite/driver/connection.hpp"
#include "storage/store.hpp"
#include "tests/simulation/shared_schedule.hpp"

namespace ringmaster::simulation {

class sim_database {
public:
  virtual ~sim_database() = default;

  [[nodiscard]] virtual std::unique_ptr<storage::store> open() = 0;

  /// Plain SQL on SQLite, for mutants; null: another database.
  [[nodiscard]] virtual storage::sqlite::connection* tables() noexcept { return nullptr; }

  /// Shared mode's part of the store: simulated, or the database's own.
  [[nodiscard]] virtual std::unique_ptr<shared_schedule> make_schedule(schedule_surroundings seen) = 0;

  /// Copies the content, for `restore`. Between two transactions. Only in memory.
  virtual void copy() = 0;
  virtual void restore() = 0;
};

using database_maker = std::function<std::unique_ptr<sim_database>(bool shared)>;

/// SQLite in memory; shared mode is simulated (`played_schedule.hpp`).
[[nodiscard]] std::unique_ptr<sim_database> make_memory_database(bool shared);

/// MariaDB on the private server of this executable, which must run. `shared`: the database begins in shared mode.
[[nodiscard]] std::unique_ptr<sim_database> make_maria_database(bool shared);

} // namespace ringmaster::simulation
