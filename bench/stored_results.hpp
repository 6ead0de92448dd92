#pragma once

// Final content of the store, read without the server through the client library of the store.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ringmaster::bench {

/// Return the log ids above `after` with a stored success, ascending. Throw `std::runtime_error` with the store's words.
[[nodiscard]] std::vector<std::int64_t> stored_in_sqlite(const std::filesystem::path& file, std::int64_t after);
[[nodiscard]] std::vector<std::int64_t> stored_in_mysql(const std::string& socket, const std::string& database,
                                                        std::int64_t after);

/// A row of the log table; times in whole seconds, 0 for none.
struct stored_run {
  std::int64_t log_id = 0;
  std::int64_t job = 0;
  std::int64_t trigger_second = 0;
  std::int64_t handle_second = 0;
  std::int64_t handle_code = 0;
};
/// Returns all runs by log id.
[[nodiscard]] std::vector<stored_run> runs_in_sqlite(const std::filesystem::path& file);

} // namespace ringmaster::bench
