#pragma once

// Events that the executors saw, and their account: received instants of jobs, repetitions and lateness.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace ringmaster::bench {

/// One trigger that an executor received. `instant_ms` is its `logDateTime`, the fire time cut to its second, plus the
/// milliseconds of the job's parameter.
struct received_run {
  std::int64_t log_id = 0;
  std::int64_t instant_ms = 0;
  std::int64_t arrived_us = 0; ///< arrival at the executor's socket, by the kernel's time stamp
  std::int64_t read_us = 0;    ///< read by the executor, which has one thread for all of them
  std::int64_t job = 0;
};

/// One result that the server acknowledged with code 200.
struct acknowledged_run {
  std::int64_t log_id = 0;
  std::int64_t acknowledged_us = 0;
};

/// All events of one load, in the order of arrival. Times are CLOCK_REALTIME.
struct run_book {
  std::vector<received_run> received;
  std::vector<acknowledged_run> acknowledged;

  /// Write to and read from a file in this machine's byte order. Throw `std::runtime_error`.
  void save(const std::filesystem::path& file) const;
  static run_book load(const std::filesystem::path& file);
};

/// Instants in [begin_ms, end_ms).
struct load_window {
  std::int64_t begin_ms = 0;
  std::int64_t end_ms = 0;

  [[nodiscard]] bool holds(std::int64_t instant_ms) const { return instant_ms >= begin_ms && instant_ms < end_ms; }
};

/// Distribution of values in milliseconds.
struct spread_ms {
  double p50 = 0, p99 = 0, p999 = 0, max = 0;
};
/// Returns the distribution; sorts the values.
[[nodiscard]] spread_ms spread_of(std::vector<double>& values);

struct window_account {
  std::size_t sent = 0;     ///< pairs of job and instant that arrived at least once
  std::size_t repeated = 0; ///< arrivals of a pair that had arrived before
  std::size_t same_id = 0;  ///< log ids that belong to two different pairs
  std::size_t early = 0;    ///< arrived before their instant
  spread_ms late;           ///< from the instant to the first arrival, of every pair
  spread_ms read_late;      ///< from the instant to the read by the executor
  std::vector<std::int64_t> log_ids;         ///< log ids of the window, ascending, without duplicates
  std::size_t acknowledged_meanwhile = 0;    ///< results acknowledged while the window's clock ran, of any instant
};

[[nodiscard]] window_account account_of(const run_book& book, const load_window& window);

} // namespace ringmaster::bench
