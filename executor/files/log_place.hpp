#pragma once

// Where the logs of runs lie: `<folder>/<yyyy-MM-dd>/<run>.log` (XXL wire §5.8). A different run that has the same id on the same
// date has `<run>.1.log`, the next one `<run>.2.log`.

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
  /// Of the dates that name folders and stand before lines.
  core::zone zone = {};
  /// What one run may write; the process's own lines about it have a megabyte more.
  std::uint64_t bytes_max = std::uint64_t{64} * 1024 * 1024;
  std::function<core::time_point()> now = system_now;
  /// The process's log, called from any thread.
  std::function<void(const std::string&)> complain = [](const std::string&) {};
};

/// What the process's own lines begin with: the time, and which run the log is of.
[[nodiscard]] std::string head_of(const log_options& options, const core::run_identity& which);

/// Where the log of a run is, or would be.
struct log_location {
  std::string path;
  bool is_there = false;
};

/// Paths, and files opened by them. Any thread; what opens a file blocks.
class log_place {
public:
  explicit log_place(log_options options) : options_{std::move(options)} {}

  [[nodiscard]] const log_options& options() const noexcept { return options_; }

  /// Times before the year 1 and behind 9999 count as these.
  [[nodiscard]] std::string path_of(core::log_id run, core::time_point log_time) const;

  /// Passes over the logs that name another run in their first line; one that names none counts as this run's. Blocks. Errors:
  /// `unavailable`: it cannot be told.
  [[nodiscard]] core::result<log_location> locate(const core::run_identity& which) const;

  /// With O_CREAT also the folders are made, when they turn out to be missing. No file: see `errno`.
  [[nodiscard]] static file open(const std::string& path, int flags);

  /// Of all who write into the log of `run`: nobody else looks at its end while a line is half written. Runs share them.
  [[nodiscard]] std::mutex& mutex_of(core::log_id run) noexcept;

  /// Tells the process's log what could not be done; once a minute at most: a full disk is met with every line.
  void complain(const std::string& what);

private:
  log_options options_;
  std::array<std::mutex, 256> mutexes_;
  std::atomic<std::int64_t> silent_until_ms_{0};
};

/// `yyyy-MM-dd`, four digits of the year.
[[nodiscard]] std::string date_text(std::chrono::year_month_day date);

/// The local date of `t` in `zone`, within the years 1 to 9999.
[[nodiscard]] std::chrono::year_month_day local_date(const core::zone& zone, core::time_point t);

} // namespace ringmaster::executor
