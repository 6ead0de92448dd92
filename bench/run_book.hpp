#pragma once

// What the executors saw, and the account of it: which instants of which jobs arrived, how often and how late.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace ringmaster::bench {

/// One trigger that an executor received. `instant_ms` is its `logDateTime`, the fire time cut to its second, and the
/// milliseconds that the job's parameter tells.
struct received_run {
  std::int64_t log_id = 0;
  std::int64_t instant_ms = 0;
  std::int64_t arrived_us = 0; ///< at the executor's socket, by the kernel's time stamp
  std::int64_t read_us = 0;    ///< by the executor, which has one thread for all of them
  std::int64_t job = 0;
};

/// One result that the server acknowledged with code 200.
struct acknowledged_run {
  std::int64_t log_id = 0;
  std::int64_t acknowledged_us = 0;
};

/// Everything of one load, in the order of arrival. Times are CLOCK_REALTIME.
struct run_book {
  std::vector<received_run> received;
  std::vector<acknowledged_run> acknowledged;

  /// To and from a file of this machine's own byte order. Throws `std::runtime_error`.
  void save(const std::filesystem::path& file) const;
  static run_book load(const std::filesystem::path& file);
};

/// The instants in [begin_ms, end_ms).
struct load_window {
  std::int64_t begin_ms = 0;
  std::int64_t end_ms = 0;

  [[nodiscard]] bool holds(std::int64_t instant_ms) const { return instant_ms >= begin_ms && instant_ms < end_ms; }
};

/// How values in milliseconds are spread.
struct spread_ms {
  double p50 = 0, p99 = 0, p999 = 0, max = 0;
};
/// Sorts them.
[[nodiscard]] spread_ms spread_of(std::vector<double>& values);

struct window_account {
  std::size_t sent = 0;     ///< pairs of job and instant that arrived at least once
  std::size_t repeated = 0; ///< arrivals of a pair that had arrived before
  std::size_t same_id = 0;  ///< log ids that two different pairs carried
  std::size_t early = 0;    ///< arrived before their instant
  spread_ms late;           ///< from the instant to the first arrival, of every pair
  spread_ms read_late;      ///< from the instant to its being read
  std::vector<std::int64_t> log_ids;         ///< of the window, ascending, each once
  std::size_t acknowledged_meanwhile = 0;    ///< results acknowledged while the window's clock ran, of whatever instant
};

[[nodiscard]] window_account account_of(const run_book& book, const load_window& window);

} // namespace ringmaster::bench
