#pragma once

// The paths of the run logs: `<folder>/<yyyy-MM-dd>/<run>.log` (XXL wire §5.8). A different run with the same id on the same date
// gets `<run>.1.log`, the next one `<run>.2.log`.

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "core/run/trigger_request.hpp"
#include "core/time.hpp"
#include "core/zone/zone.hpp"
#include "executor/files/file.hpp"

namespace ringmaster::executor {

[[nodiscard]] core::time_point system_now();

struct log_options {
  std::string folder;
  /// Time zone of the dates in folder names and lines.
  core::zone zone = {};
  /// Maximum log size of a run; the process's own lines about it have an additional megabyte.
  std::uint64_t bytes_max = std::uint64_t{64} * 1024 * 1024;
  std::function<core::time_point()> now = system_now;
  /// The process's log; called on any thread.
  std::function<void(const std::string&)> complain = [](const std::string&) {};
};

/// Returns the beginning of the process's own lines: the time, and the run of the log.
[[nodiscard]] std::string head_of(const log_options& options, const core::run_identity& which);

/// The existing or future place of a run's log.
struct log_location {
  std::string path;
  bool is_there = false;
};

/// Paths, and files opened by them. Any thread; functions that open a file block.
class log_place {
public:
  explicit log_place(log_options options) : options_{std::move(options)} {}

  [[nodiscard]] const log_options& options() const noexcept { return options_; }

  /// Returns the path. Times before the year 1 or after 9999 are clamped.
  [[nodiscard]] std::string path_of(core::log_id run, core::time_point log_time) const;

  /// Skips logs whose first line names another run; a log that names none counts as this run's. Blocks. Errors: `unavailable`
  /// when a log cannot be checked.
  [[nodiscard]] core::result<log_location> locate(const core::run_identity& which) const;

  /// Opens a file. With O_CREAT it also creates missing folders. On failure returns no file and sets `errno`.
  [[nodiscard]] static file open(const std::string& path, int flags);

  /// Returns the mutex for writers of the log of `run`: no other writer reads its end while a line is partly written. Several
  /// runs share one mutex.
  [[nodiscard]] std::mutex& mutex_of(core::log_id run) noexcept;

  /// Reports a failure to the process's log, at most once a minute: a full disk fails every line.
  void complain(const std::string& what);

private:
  log_options options_;
  std::array<std::mutex, 256> mutexes_;
  std::atomic<std::int64_t> silent_until_ms_{0};
};

/// Returns `yyyy-MM-dd` with a four-digit year.
[[nodiscard]] std::string date_text(std::chrono::year_month_day date);

/// Returns the local date of `t` in `zone`, within the years 1 to 9999.
[[nodiscard]] std::chrono::year_month_day local_date(const core::zone& zone, core::time_point t);

} // namespace ringmaster::executor
