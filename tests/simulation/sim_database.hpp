#pragma once

// The database of a run: SQLite in memory, with one more connection for what others do to its tables.

#include <memory>

#include "storage/sqlite/connection.hpp"
#include "storage/store.hpp"

namespace ringmaster::simulation {

class sim_database {
public:
  sim_database();

  [[nodiscard]] std::unique_ptr<storage::store> open() const;
  /// Plain SQL. The database lives as long as this object.
  [[nodiscard]] storage::sqlite::connection& tables() noexcept { return *tables_; }

private:
  storage::sqlite::open_options where_;
  std::unique_ptr<storage::sqlite::connection> tables_;
};

} // namespace ringmaster::simulation
