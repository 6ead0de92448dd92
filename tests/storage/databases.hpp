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
  /// Of XXL's schema, when XXL-JOB made the tables (`xxl_schemas.hpp`); 0: ours, the newest of all.
  int generation = 0;

  /// Texts of XXL's tables compare without case.
  [[nodiscard]] bool exact_texts() const noexcept { return generation == 0; }
  /// `executor_param` holds 512 characters, a title 12.
  [[nodiscard]] bool narrow() const noexcept { return generation != 0 && generation < 7; }
};

/// Made in one file a backend: `sqlite_databases.cpp`, `mysql_databases.cpp`.
[[nodiscard]] test_backend sqlite_backend();
/// MariaDB on a private server (`tests/support/mariadb_server.hpp`).
[[nodiscard]] test_backend mysql_backend();
/// True where that server cannot be started: the test case is then reported as skipped, and returns.
[[nodiscard]] bool no_server_here();

/// A database that XXL-JOB made and Ringmaster added its tables to. The test's own statements speak of columns as G7 does. Name:
/// `mysql-g4`; `upgraded` in place from G4, by hand up to the generation: `mysql-g7-upgraded`.
[[nodiscard]] test_backend xxl_backend(int generation, bool upgraded = false);

/// What XXL-JOB of that generation made, before Ringmaster has seen it; 0: an empty database.
[[nodiscard]] std::unique_ptr<test_database> bare_xxl_database(int generation);

/// All that this build has, available or not.
[[nodiscard]] std::vector<test_backend> all_backends();

/// SQLite and MySQL, or what the environment variable RINGMASTER_TEST_BACKENDS names (separated by commas), as far as they are
/// available. One test case of its own reports the others as skipped.
[[nodiscard]] std::vector<test_backend> backends_under_test();

/// Both zones are Asia/Shanghai, so that a test which confuses local time and UTC fails.
[[nodiscard]] storage::store_options test_options();

/// Also names the backend in the messages of a failing test (UNSCOPED_INFO).
[[nodiscard]] std::unique_ptr<test_database> fresh_database(const test_backend& backend);
[[nodiscard]] std::unique_ptr<test_database> fresh_database(const test_backend& backend, const storage::store_options& options);

} // namespace ringmaster::test
