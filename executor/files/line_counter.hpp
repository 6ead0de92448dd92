#pragma once

// Size of a log, and the place of its last lines.

#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/result.hpp"
#include "core/time.hpp"
#include "executor/files/file.hpp"
#include "executor/files/log_marks.hpp"

namespace ringmaster::executor {

/// The last lines that are wanted: at most so many, with at most so many bytes, at least one. No line: none is wanted.
struct wanted_tail {
  std::size_t lines = 0;
  std::uint64_t bytes = 0;
};

struct counted_lines {
  /// Lines that can be read; an unfinished last line that is held back does not count.
  std::int32_t lines = 0;
  /// Place after the last finished line.
  log_mark end;
  /// First of the last lines that are wanted, as far as they were counted.
  log_mark tail;
  /// Offset up to which the log was read; the largest number if no more lines can be counted.
  std::uint64_t reached = 0;
  /// All last lines that are wanted are among the counted ones. Otherwise count from line `lines - wanted_tail::lines + 1`.
  bool has_tail = true;
};

/// Counts the lines from a place on, in one pass with bounded memory. Bytes after the first `bytes` of the file may be left out.
/// Errors: the `errno` of a read.
[[nodiscard]] tl::expected<counted_lines, int> count_lines(const file& log, const log_mark& from, std::uint64_t bytes,
                                                           const wanted_tail& wanted,
                                                           const std::function<core::time_point()>& now);

} // namespace ringmaster::executor
