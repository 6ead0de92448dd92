#pragma once

// Looking after the log: runs whose result never came, the day report, what is too old to be kept.

#include <array>
#include <chrono>
#include <cstdint>
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

/// A stretch of the log, without `after` and with `through`.
struct log_range {
  log_id after{};
  log_id through{};
};

/// Which runs without a result are wanted: those that an executor accepted (trigger_code 200, handle_code 0).
struct open_search {
  log_range range;
  /// Of these executors only; empty: of all.
  std::vector<std::string> addresses;
  std::size_t limit = 500;
};

/// A run that an executor accepted and whose result is not there.
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
  /// Everything up to here was looked at.
  log_id through{};
};

/// What the rows of a stretch of the log come to in one day (XXL admin §7.6); everything that neither runs nor succeeded failed.
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

/// The days that the report is about, today and the two before it, and the midnight that ends the last one.
inline constexpr std::size_t report_days = 3;
using day_bounds = std::array<time_point, report_days + 1>;
using day_counts = std::array<run_counts, report_days>;

/// One row of `xxl_job_log_report`.
struct day_report {
  /// Local midnight.
  time_point day{};
  run_counts counts;
  friend bool operator==(const day_report&, const day_report&) = default;
};

/// One step of the purge: at most `limit` of the oldest rows behind `range.after` and up to `range.through` whose trigger time is
/// at or before `before`.
struct purge_step {
  log_range range;
  time_point before{};
  std::size_t limit = 200;
};

struct purge_outcome {
  /// Rows of the log that went.
  std::size_t removed = 0;
  /// Everything up to here was looked at: it is gone, or stays for a reason of its own. It may be where the step began.
  log_id through{};
  /// How long the transaction held its locks.
  std::chrono::microseconds took{0};
};

/// A run of an open claim that its own owner has lost sight of.
struct stray_run {
  adopted_run run;
  /// The claim was made by an adoption: the run may have been sent by a former life.
  bool maybe_sent = false;
};

} // namespace ringmaster::core
