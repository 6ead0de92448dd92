#pragma once

// One response with lines of a log (XXL wire §2.9).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "core/result.hpp"
#include "core/time.hpp"
#include "executor/files/file.hpp"
#include "executor/files/log_marks.hpp"

namespace ringmaster::executor {

/// Maximum JSON size of a response's text: admins read it twice, under both of its names.
inline constexpr std::size_t answer_bytes_max = 1024 * 1024;

/// An unfinished last line is held back for this long after the last write: a follower that read it would never see the rest of
/// it.
inline constexpr core::milliseconds unfinished_for{2000};

struct log_part {
  /// 0: no line.
  std::int32_t to_line = 0;
  std::string text;
  /// Start of the next response.
  log_mark next;
  /// The lines are further away than `skip_max`: read on from `next`.
  bool far = false;
};

/// Limits of one response.
struct part_limits {
  /// Most bytes of the text, apart from the mark of a cut line.
  std::size_t bytes = answer_bytes_max;
  /// Bytes before the first line after which reading stops, at the end of a line.
  std::uint64_t skip_max = std::numeric_limits<std::uint64_t>::max();
};

/// Reads whole lines beginning at `from_line`, each with a `\n`, as many as fit. A line longer than a whole response is cut and
/// marked. `from` leads to that line. Invalid UTF-8 is replaced. Memory use is bounded for any file content. Errors: the `errno`
/// of a read.
[[nodiscard]] tl::expected<log_part, int> read_part(const file& log, const log_mark& from, std::int32_t from_line,
                                                    const std::function<core::time_point()>& now,
                                                    const part_limits& limits = {});

/// Returns true if an unfinished last line is held back.
[[nodiscard]] bool was_written_lately(const file& log, core::time_point now) noexcept;

} // namespace ringmaster::executor
