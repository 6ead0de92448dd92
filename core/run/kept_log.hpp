#pragma once

// Logs of finished runs that outlive their executors (job option `keep_logs`). Pure.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// A run that has its result and whose log is still to be fetched.
struct pending_log {
  log_id run{};
  job_id job{};
  /// Of its row; empty when it has none, or the row is gone.
  std::string address;
  time_point trigger_time{};
  /// When its result was stored.
  time_point since{};
  /// Of its row; 0 when that is gone.
  group_id group{};
};

/// A log that was kept, or its beginning.
struct kept_log {
  std::string text;
  /// Of the whole text.
  std::size_t bytes = 0;
  /// The log was longer than what is kept of it; the last line of the whole text says so.
  bool cut = false;
};

/// A part of a log as an executor would answer it.
struct log_part {
  std::string content;
  /// The last line of the text, or of the part.
  std::int32_t to_line = 0;
};

/// The text from its line `from_line` on, counted from 1, to its end.
[[nodiscard]] log_part lines_from(std::string_view text, std::int32_t from_line);

/// `text`, valid UTF-8, if it is at most `bytes_max` bytes long; else as many whole lines of it as fit, and a last line that says
/// so.
[[nodiscard]] std::string cut_log(std::string text, std::size_t bytes_max);

/// Pieces of valid UTF-8 of at most `bytes_max` bytes that end with a character; none of an empty text.
[[nodiscard]] std::vector<std::string_view> pieces_of(std::string_view text, std::size_t bytes_max);

} // namespace ringmaster::core
