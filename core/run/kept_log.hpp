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

/// A run that has its result and whose log has not been fetched yet.
struct pending_log {
  log_id run{};
  job_id job{};
  /// Address in its row; empty if there is none or the row does not exist any more.
  std::string address;
  time_point trigger_time{};
  /// Time at which its result was stored.
  time_point since{};
  /// Group of its row; 0 if the row does not exist any more.
  group_id group{};
};

/// A kept log, or its beginning.
struct kept_log {
  std::string text;
  /// Size of the whole text.
  std::size_t bytes = 0;
  /// The log was longer than its kept copy; the last line of the whole text says so.
  bool cut = false;
};

/// Returns `text`, valid UTF-8, if it has at most `bytes_max` bytes. Otherwise returns as many whole lines as fit, and a last
/// line that says so.
[[nodiscard]] std::string cut_log(std::string text, std::size_t bytes_max);

/// Splits a text into pieces of valid UTF-8 of at most `bytes_max` bytes that end with a character; none for an empty text.
[[nodiscard]] std::vector<std::string_view> pieces_of(std::string_view text, std::size_t bytes_max);

} // namespace ringmaster::core
