#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/run/log_row.hpp"

namespace ringmaster::core {

/// Part of a run's log, from its executor or from the kept log. The next part begins after `to_line`.
struct run_log {
  log_row run;
  std::int32_t from_line = 0;
  std::int32_t to_line = 0;
  std::string content;
  bool end = false;
  /// No executor was asked: the whole log is kept in the database.
  bool kept = false;
  /// There are lines after `to_line` already; never together with `end`.
  bool more = false;
  /// The last line is longer than a piece, and `content` has only its beginning.
  bool cut = false;
  /// Size of the whole log, and its lines, as far as they are written; empty: unknown.
  std::optional<std::int64_t> bytes = {};
  std::optional<std::int32_t> lines = {};
  /// Reason why the rest of the log is missing; empty: none.
  std::string partial_reason = {};
};

} // namespace ringmaster::core
