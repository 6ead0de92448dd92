#pragma once

// The two files for a server under load: its configuration and its jobs.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/run_book.hpp"

namespace ringmaster::bench {

/// Firing pattern of a load's jobs. `logDateTime` has whole seconds; the milliseconds of an instant are the job's parameter.
enum class load_shape {
  every_second,  ///< each job, each second
  evenly,        ///< each job, each second, at a millisecond of its own
  over_a_minute, ///< each job once a minute, spread evenly over its seconds
  at_once,       ///< each job once, all at one instant
  yearly,        ///< each job on the first of January: no firing in the load
};

struct load_plan {
  load_shape shape = load_shape::every_second;
  std::size_t jobs = 0;
  std::int64_t instant_ms = 0; ///< of `at_once`
  std::string handler = "noop";
  std::string group = "bench";
  /// Second of the minute at which `yearly` jobs fire.
  int second = 0;

  /// Returns the firings of each second of the window, from its begin.
  [[nodiscard]] std::vector<std::uint32_t> expected(const load_window& window) const;
};

/// Writes the job file. Throws `std::runtime_error` if the file cannot be written.
void write_jobs(const std::filesystem::path& file, const load_plan& plan, const std::vector<std::string>& addresses);

struct load_config {
  std::string database_url;
  std::uint16_t port = 0;
  std::string token;
  /// Empty: no declared jobs.
  std::string job_file;
};

/// Writes the configuration; the data directory is the folder of the file. Throws `std::runtime_error` if the file cannot be
/// written.
void write_config(const std::filesystem::path& file, const load_config& config);

} // namespace ringmaster::bench
