#pragma once

// Maintenance of the log: runs without a result, the daily report, retention.

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "core/run/run.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// The lowest and the highest id of the log; both 0 while it is empty.
struct log_span {
  log_id first{};
  log_id last{};
  friend bool operator==(const log_span&, const log_span&) = default;
};

/// A range of the log that excludes `after` and includes `through`.
struct log_range {
  log_id after{};
  log_id through{};
};

/// Search for runs without a result: those that an executor accepted (trigger_code 200, handle_code 0).
struct open_search {
  log_range range;
  /// Only runs of these executors; empty: all.
  std::vector<std::string> addresses;
  std::size_t limit = 500;
};

/// A run that an executor accepted and that has no result yet.
struct open_run {
  log_id id{};
  group_id group{};
  job_id job{};
  std::string address;
  /// The second of its instant.
  time_point fire_at{};
};

struct open_page {
  std::vector<open_run> runs;
  /// Every row up to here was examined.
  log_id through{};
};

/// Counts of a range of the log for one day (XXL admin §7.6). A run that neither runs nor succeeded has failed.
struct run_counts {
  std::int64_t total = 0;
  std::int64_t running = 0;
  std::int64_t succeeded = 0;

  [[nodiscard]] std::int64_t failed() const noexcept { return total - running - succeeded; }
  run_counts& operator+=(const run_counts& other) noexcept {
    total += other.total;
    running += other.running;
    succeeded += other.succeeded;
    return *this;
  }
  friend bool operator==(const run_counts&, const run_counts&) = default;
};

/// Days of the report: today and the two before it, and the midnight that ends the last one.
inline constexpr std::size_t report_days = 3;
using day_bounds = std::array<time_point, report_days + 1>;
using day_counts = std::array<run_counts, report_days>;

/// One row of `xxl_job_log_report`, or the runs of an hour or a day of a `report_search`.
struct day_report {
  /// Local midnight, or the begin of the hour.
  time_point day{};
  run_counts counts;
  /// Median duration of the runs with a result and its time; only in a `report_search`, and unset without such runs.
  std::optional<milliseconds> median = {};
  /// Time of the last change of the row; only in rows of the daily report, and unset where the table has no column for it.
  std::optional<time_point> changed = {};
  friend bool operator==(const day_report&, const day_report&) = default;
};

/// One step of the purge: at most `limit` of the oldest rows of `range` whose trigger time is at or before `before`.
struct purge_step {
  log_range range;
  time_point before{};
  std::size_t limit = 200;
};

struct purge_outcome {
  /// Number of removed log rows.
  std::size_t removed = 0;
  /// Every row up to here was examined: it was removed, or stays for a reason. It may equal the start of the step.
  log_id through{};
  /// Time for which the transaction held its locks.
  std::chrono::microseconds took{0};
};

/// A run of an open claim that its owner does not track any more.
struct stray_run {
  adopted_run run;
  /// The claim was made by an adoption: an earlier incarnation may have sent the run.
  bool maybe_sent = false;
};

} // namespace ringmaster::core
