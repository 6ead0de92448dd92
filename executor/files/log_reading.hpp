#pragma once

// One answer with lines of a log (XXL wire §2.9).

#include <cstdint>
#include <functional>
#include <string>

#include "core/result.hpp"
#include "core/time.hpp"
#include "executor/files/file.hpp"
#include "executor/files/log_marks.hpp"

namespace ringmaster::executor {

/// What an answer's text may take as JSON: admins read so much of it twice, under both of its names.
inline constexpr std::size_t answer_bytes_max = 1024 * 1024;

/// A last line that has no end yet is held back for so long after the last write: whoever follows the log would never see the
/// rest of it.
inline constexpr core::milliseconds unfinished_for{2000};

struct log_part {
  /// 0: no line.
  std::int32_t to_line = 0;
  std::string text;
  /// Where the next answer goes on.
  log_mark next;
};

/// Whole lines from `from_line` on, each with a `\n`, as many as fit; a line that is longer than a whole answer is cut and says
/// so. `from` leads to that line. Invalid UTF-8 is replaced. Memory is bounded whatever the file holds. Errors: the `errno` of a
/// read.
[[nodiscard]] tl::expected<log_part, int> read_part(const file& log, const log_mark& from, std::int32_t from_line,
                                                    const std::function<core::time_point()>& now);

} // namespace ringmaster::executor
