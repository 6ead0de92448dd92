#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "storage/open.hpp"
#include "storage/sqlite/driver/connection.hpp"
#include "storage/sqlite/driver/session.hpp"

namespace ringmaster::storage::sqlite {

/// A database in an SQLite file, or in memory: that one exists as long as this object or any of its stores. Safe from any thread;
/// each store that it opens is used by one thread.
class sqlite_database final : public database {
public:
  sqlite_database(open_options where, store_options options);

  /// Creates an in-memory database; does nothing for a file. Called once, before all other methods. Errors: `unavailable`.
  core::result<void> start();

  core::result<std::unique_ptr<store>> open() override;
  core::result<std::vector<migration_step>> pending_migrations() override;
  core::result<void> migrate() override;
  core::result<change_plan> plan(schema_change what) override;
  core::result<change_plan> change(schema_change what) override;
  std::vector<database_finding> examine(const std::function<bool()>& go_on) override;
  core::result<int> generation() override;
  [[nodiscard]] int writers() const noexcept override { return 1; }
  [[nodiscard]] std::string description() const override;

private:
  [[nodiscard]] open_options existing() const;

  open_options where_;
  store_options options_;
  /// Keeps an in-memory database alive.
  std::unique_ptr<connection> anchor_;
};

/// Returns a store on an open connection to a database whose schema is complete.
[[nodiscard]] std::unique_ptr<store> make_store(session opened);

} // namespace ringmaster::storage::sqlite
