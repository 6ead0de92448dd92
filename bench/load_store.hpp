#pragma once

// The database of one load: a file of SQLite, or a MariaDB server of the bench's own.

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
  load_store(store_kind kind, const std::filesystem::path& folder);

  [[nodiscard]] const std::string& url() const { return url_; }

  /// The store's own process, 0 for SQLite.
  [[nodiscard]] pid_t process() const;

  /// Log ids with a stored success, ascending. The server under load must have ended.
  [[nodiscard]] std::vector<std::int64_t> successes() const;

private:
  std::filesystem::path file_;
  std::unique_ptr<test::mariadb_server> server_;
  std::string url_;
};

} // namespace ringmaster::bench
