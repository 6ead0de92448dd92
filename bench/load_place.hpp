#pragma once

// Environment of a load: a temporary folder, the server's command line, the wall clock.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/load_store.hpp"

namespace ringmaster::bench {

/// Access token of the server and the executors.
inline constexpr const char* access_token = "token-of-the-bench";
inline constexpr std::chrono::seconds ready_limit{120}, stop_limit{60};

[[nodiscard]] std::int64_t now_ms();
/// Waits until a time. Throws `std::runtime_error` after SIGINT or SIGTERM.
void wait_until(std::int64_t at_ms);

/// Runs a bench, which SIGINT and SIGTERM end early: the processes are ended and the folders removed. Returns its exit code; 1
/// after an exception, whose text it prints.
int run_bench(const char* name, const std::function<int()>& run);

class temporary_folder {
public:
  temporary_folder(const std::filesystem::path& parent, bool keep);
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
  std::filesystem::path path_;
  bool keep_;
};

[[nodiscard]] std::string name_of(store_kind store);

/// Returns the command line of `ringmaster serve` with this configuration and `key=value` settings.
[[nodiscard]] std::vector<std::string> serve_words(const std::filesystem::path& ringmaster, const std::filesystem::path& config,
                                                   const std::vector<std::string>& settings);

} // namespace ringmaster::bench
