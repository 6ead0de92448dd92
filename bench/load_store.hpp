#pragma once

// The database of one load: a file of SQLite, or a MariaDB server of the bench's own.

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

/// Empty at first. Keeps the MariaDB server up until it goes; use it from the main thread alone.
class load_store {
public:
  /// `shared`: with the tables of XXL-JOB 3.4 as its admin makes them, so that the server plans as beside Java admins.
  load_store(store_kind kind, const std::filesystem::path& folder, bool shared = false);

  [[nodiscard]] const std::string& url() const { return url_; }

  /// The store's own process, 0 for SQLite.
  [[nodiscard]] pid_t process() const;

  /// See `prefill.hpp`.
  void prefill(std::size_t rows, std::size_t jobs);

  /// The database does not answer for so long: MariaDB is ended and started again, an SQLite file is locked by somebody else.
  void go_away(std::chrono::seconds time);

  /// Log ids with a stored success, ascending, without those of `prefill`. The server under load must have ended.
  [[nodiscard]] std::vector<std::int64_t> successes() const;

private:
  std::filesystem::path file_;
  std::unique_ptr<test::mariadb_server> server_;
  std::string url_;
  std::int64_t prefilled_ = 0;
};

} // namespace ringmaster::bench
