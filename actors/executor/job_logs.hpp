#pragma once

#include <string_view>

#include "core/result.hpp"
#include "core/run/trigger_request.hpp"

namespace ringmaster::actors {

/// The log files of runs (XXL wire §5.8). Any thread; `read` and `append` block.
class job_logs {
public:
  virtual ~job_logs() = default;

  /// Whether the run began before, in this life of the process or an earlier one. One look at a folder, that of the date: the
  /// same id under another date, at another second or of another job is another run, since a restored database gives out ids
  /// again. A log that does not name its run counts as this run's. Errors: `unavailable`: it cannot be told.
  [[nodiscard]] virtual core::result<bool> has(const core::run_identity& which) = 0;

  /// Lines from `from_line` on (1 is the first; below counts as 1), as many as one answer holds; none: line 0. A run without a
  /// file: the text that XXL's admins know, line 0, ended. Errors: `unavailable` when the file cannot be read.
  virtual core::result<core::log_lines> read(const core::run_identity& which, std::int32_t from_line) = 0;

  /// Lines without a prefix behind what is there, each with its end (`\n`) in `text`; makes the file, also for none. What cannot
  /// be written is lost and told to the process's log. Errors: `unavailable`: there is no file.
  virtual core::result<void> append(const core::run_identity& which, std::string_view text) = 0;
};

} // namespace ringmaster::actors
