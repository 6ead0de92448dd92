#pragma once

// Pieces of a log's text: what a reader asks for, and what one answer holds. Pure.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ringmaster::core {

/// Most lines and bytes of one piece, and the defaults.
inline constexpr std::int32_t piece_lines_max = 5'000;
inline constexpr std::size_t piece_bytes_max = 512 * 1024;

/// Limits of the piece that a reader asks for. Lines are counted from 1.
struct piece_limits {
  std::int32_t lines = piece_lines_max;
  std::size_t bytes = piece_bytes_max;
  /// The last lines, at most this many, in place of those from a first line on.
  std::optional<std::int32_t> tail = {};
};

/// Lines of a log, a part of the text that they were taken from.
struct log_piece {
  std::int32_t from_line = 1;
  /// Number of the last line in `content`; without lines: of the last line of the text.
  std::int32_t to_line = 0;
  std::string_view content;
  /// The text has lines after `to_line`.
  bool more = false;
  /// The last line is longer than the limit, and `content` has only its beginning.
  bool cut = false;
};

/// Returns the number of lines of a text; a last line without an end counts.
[[nodiscard]] std::int32_t count_lines(std::string_view text) noexcept;

/// Returns as many whole lines of `text`, valid UTF-8, as the limits permit, from line `from_line` on; with `limits.tail` the
/// last ones. `first_line` is the number of the first line of `text`; an earlier `from_line` means that one. A first line that
/// is longer than the limit is cut after a character.
[[nodiscard]] log_piece piece_of(std::string_view text, std::int32_t first_line, std::int32_t from_line,
                                 const piece_limits& limits) noexcept;

} // namespace ringmaster::core
