#pragma once

// The databases on which the conformance suite runs. A test uses a new one of every backend:
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

/// Rows as text.
using table = std::vector<std::vector<std::string>>;

/// A migrated, empty database, removed with this object.
class test_database {
public:
  virtual ~test_database() = default;

  /// Returns the database as apps uses it, for tests of migrations and more connections.
  [[nodiscard]] virtual storage::database& database() = 0;

  /// Runs one statement on the test's own connection. Throws std::runtime_error when it fails.
  virtual void exec(const std::string& sql) = 0;

  /// Returns the rows of a SELECT as text; NULL reads `NULL`. Throws std::runtime_error when it fails.
  [[nodiscard]] virtual table query(const std::string& sql) = 0;

  /// Opens one more connection. Throws std::runtime_error when it fails.
  [[nodiscard]] std::unique_ptr<storage::store> open();

  /// Returns the single value of a query with one row and one column.
  [[nodiscard]] std::string value(const std::string& sql);
};

/// A kind of database.
struct test_backend {
  std::string name;
  /// Returns why it cannot be used here; empty when it can.
  std::function<std::optional<std::string>()> unavailable_reason;
  /// Throws std::runtime_error when the database cannot be created.
  std::function<std::unique_ptr<test_database>(const storage::store_options&)> fresh;
  /// Generation of XXL's schema, when XXL-JOB made the tables (`xxl_schemas.hpp`); 0: Ringmaster's own, the newest of all.
  int generation = 0;

  /// False: texts of XXL's tables compare without case.
  [[nodiscard]] bool exact_texts() const noexcept { return generation == 0; }
  /// Whether `executor_param` holds 512 characters and a title 12.
  [[nodiscard]] bool narrow() const noexcept { return generation != 0 && generation < 7; }
};

/// Returns a backend; defined in one file per backend: `sqlite_databases.cpp`, `mysql_databases.cpp`.
[[nodiscard]] test_backend sqlite_backend();
/// Returns MariaDB on a private server (`tests/support/mariadb_server.hpp`).
[[nodiscard]] test_backend mysql_backend();
/// Returns true where that server cannot be started: the test case is then reported as skipped, and returns.
[[nodiscard]] bool no_server_here();

/// Returns a database that XXL-JOB made and to which Ringmaster added its tables. The test's own statements use the column names
/// of G7. Name: `mysql-g4`; `upgraded` from G4 to the generation in place, with manual statements: `mysql-g7-upgraded`.
[[nodiscard]] test_backend xxl_backend(int generation, bool upgraded = false);

/// Returns the tables of XXL-JOB of that generation, before Ringmaster has seen them; 0: an empty database.
[[nodiscard]] std::unique_ptr<test_database> bare_xxl_database(int generation);

/// Returns all backends of this build, available or not.
[[nodiscard]] std::vector<test_backend> all_backends();

/// Returns SQLite and MySQL, or the backends in the environment variable RINGMASTER_TEST_BACKENDS (separated by commas), as far
/// as they are available. A separate test case reports the others as skipped.
[[nodiscard]] std::vector<test_backend> backends_under_test();

/// Returns options with both zones set to Asia/Shanghai, so that a test which confuses local time and UTC fails.
[[nodiscard]] storage::store_options test_options();

/// Creates a database. Also names the backend in the messages of a failing test (UNSCOPED_INFO).
[[nodiscard]] std::unique_ptr<test_database> fresh_database(const test_backend& backend);
[[nodiscard]] std::unique_ptr<test_database> fresh_database(const test_backend& backend, const storage::store_options& options);

} // namespace ringmaster::test
