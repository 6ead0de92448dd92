#pragma once

#include <optional>
#include <string_view>

#include "core/result.hpp"
#include "core/run/trigger_request.hpp"

namespace ringmaster::actors {

/// The log files of runs (XXL wire §5.8). Any thread; `read` and `append` block.
class job_logs {
public:
  virtual ~job_logs() = default;

  /// Returns whether the run began before, in this process or an earlier one. Checks one folder, that of the run's date. The same
  /// id with another date, another second or another job is another run, because a restored database assigns ids again. A log
  /// that does not name its run counts as this run's. Errors: `unavailable` when the logs cannot be checked.
  [[nodiscard]] virtual core::result<bool> has(const core::run_identity& which) = 0;

  /// Reads lines beginning at `from_line` (1 is the first; lower values count as 1), up to the size of one response; none: line
  /// 0. For a run without a file: the text that XXL-JOB's admins know, line 0, ended. With `bounds` the answer is within them,
  /// and has the size of the log. Errors: `unavailable` when the file cannot be read.
  virtual core::result<core::log_lines> read(const core::run_identity& which, std::int32_t from_line,
                                             const std::optional<core::log_bounds>& bounds = {}) = 0;

  /// Appends lines without a prefix; each line in `text` ends with `\n`. Creates the file, also for an empty text. Lines that
  /// cannot be written are lost and reported in the process's log. Errors: `unavailable`: there is no file.
  virtual core::result<void> append(const core::run_identity& which, std::string_view text) = 0;
};

} // namespace ringmaster::actors
