#pragma once

// A migrated SQLite database in memory for tests of actors.

#include <memory>
#include <stdexcept>

#include "storage/open.hpp"

namespace ringmaster::test {

template <class T>
T expect(core::result<T> outcome) {
  if (!outcome)
    throw std::runtime_error{outcome.error().context};
  return std::move(*outcome);
}

inline void expect(const core::result<void>& outcome) {
  if (!outcome)
    throw std::runtime_error{outcome.error().context};
}

/// A database that lives as long as this object or any store of it. Both zones are UTC.
class memory_database {
public:
  memory_database() {
    config::database_settings settings;
    settings.url = "sqlite::memory:";
    database_ = expect(storage::make_sqlite_database(settings, {}));
    expect(database_->migrate());
  }

  /// Opens one more connection.
  [[nodiscard]] std::unique_ptr<storage::store> open() { return expect(database_->open()); }

private:
  std::unique_ptr<storage::database> database_;
};

} // namespace ringmaster::test
