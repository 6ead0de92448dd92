#pragma once

// The database of one load: a SQLite file, or a private MariaDB server.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

#include "tests/support/mariadb_server.hpp"

namespace ringmaster::bench {

enum class store_kind { sqlite, mariadb };

/// An initially empty database. It keeps the MariaDB server running during its lifetime; use it only from the main thread.
class load_store {
public:
  /// Creates the store. `shared`: with the tables of XXL-JOB 3.4 as its admin creates them, so that the server plans as alongside
  /// Java admins.
  load_store(store_kind kind, const std::filesystem::path& folder, bool shared = false);

  [[nodiscard]] const std::string& url() const { return url_; }

  /// Returns the store's process, 0 for SQLite.
  [[nodiscard]] pid_t process() const;

  /// See `prefill.hpp`.
  void prefill(std::size_t rows, std::size_t jobs);

  /// Makes the database unavailable for this time: MariaDB is stopped and restarted, a SQLite file is locked by another
  /// connection.
  void go_away(std::chrono::seconds time);

  /// Returns the log ids with a stored success, ascending, without those of `prefill`. The server under load must have ended.
  [[nodiscard]] std::vector<std::int64_t> successes() const;

private:
  std::filesystem::path file_;
  std::unique_ptr<test::mariadb_server> server_;
  std::string url_;
  std::int64_t prefilled_ = 0;
};

} // namespace ringmaster::bench
