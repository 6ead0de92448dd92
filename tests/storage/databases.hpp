#pragma once

// The databases on which the conformance suite runs. A test takes a fresh one of every backend:
//
//   auto db = fresh_database(GENERATE(from_range(backends_under_test())));
//   auto a = db->open(), b = db->open();

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "storage/open.hpp"

namespace ringmaster::test {

/// Rows of text.
using table = std::vector<std::vector<std::string>>;

/// A migrated, empty database of its own, removed with this object.
class test_database {
public:
  virtual ~test_database() = default;

  /// The database as apps has it, for tests of migrations and more connections.
  [[nodiscard]] virtual storage::database& database() = 0;

  /// One statement, on a connection of the test's own. Throws std::runtime_error when it fails.
  virtual void exec(const std::string& sql) = 0;

  /// The rows of a SELECT as text; NULL reads `NULL`. Throws std::runtime_error when it fails.
  [[nodiscard]] virtual table query(const std::string& sql) = 0;

  /// One more connection. Throws std::runtime_error when it cannot be opened.
  [[nodiscard]] std::unique_ptr<storage::store> open();

  /// The single value of a query with one row and one column.
  [[nodiscard]] std::string value(const std::string& sql);
};

/// A kind of database.
struct test_backend {
  std::string name;
  /// Why it cannot be used here; nothing when it can.
  std::function<std::optional<std::string>()> unavailable_reason;
  /// Throws std::runtime_error when the database cannot be made.
  std::function<std::unique_ptr<test_database>(const storage::store_options&)> fresh;
};

/// Made in one file a backend: `sqlite_databases.cpp`, `mysql_databases.cpp`.
[[nodiscard]] test_backend sqlite_backend();
/// MariaDB on a private server (`tests/support/mariadb_server.hpp`).
[[nodiscard]] test_backend mysql_backend();

/// All that this build has, available or not.
[[nodiscard]] std::vector<test_backend> all_backends();

/// Those that are available. One test case of its own reports the others as skipped.
[[nodiscard]] std::vector<test_backend> backends_under_test();

/// Both zones are Asia/Shanghai, so that a test which confuses local time and UTC fails.
[[nodiscard]] storage::store_options test_options();

/// Also names the backend in the messages of a failing test (UNSCOPED_INFO).
[[nodiscard]] std::unique_ptr<test_database> fresh_database(const test_backend& backend);
[[nodiscard]] std::unique_ptr<test_database> fresh_database(const test_backend& backend, const storage::store_options& options);

} // namespace ringmaster::test
