#include "core/run/log_piece.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

/// Returns the length of the first line of `text` with its end.
std::size_t first_line_bytes(std::string_view text) noexcept {
  const auto end = text.find('\n');
  return end == std::string_view::npos ? text.size() : end + 1;
}

/// Returns the last lines of `text`, as many as the limits permit; at least one.
std::string_view end_lines_of(std::string_view text, std::int32_t lines, std::size_t bytes) noexcept {
  std::size_t begin = text.size();
  for (std::int32_t taken = 0; begin > 0 && taken < lines; ++taken) {
    // The line end in front of the last taken line belongs to the line before.
    const auto before = begin >= 2 ? text.rfind('\n', begin - 2) : std::string_view::npos;
    const auto next = before == std::string_view::npos ? 0 : before + 1;
    if (taken > 0 && text.size() - next > bytes)
      break;
    begin = next;
  }
  return text.substr(begin);
}

/// Returns the number of the last one of `lines` lines that begin with line `first`. Executors state line numbers: any may come.
std::int32_t last_number(std::int32_t first, std::int64_t lines) noexcept {
  using limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(std::int64_t{first} - 1 + lines, limits::min(), limits::max()));
}

/// Fills in the lines at the beginning of `text`.
void take_lines(log_piece& piece, std::string_view text, const piece_limits& limits) noexcept {
  std::size_t taken = 0;
  std::int32_t lines = 0;
  while (taken < text.size() && lines < limits.lines) {
    const auto length = first_line_bytes(text.substr(taken));
    if (taken + length > limits.bytes)
      break;
    taken += length;
    ++lines;
  }
  piece.content = text.substr(0, taken);
  if (lines == 0 && !text.empty()) {
    taken = first_line_bytes(text);
    lines = 1;
    piece.content = cut_bytes(text.substr(0, taken), limits.bytes);
    piece.cut = true;
  }
  piece.to_line = last_number(piece.from_line, lines);
  piece.more = taken < text.size();
}

} // namespace

std::int32_t count_lines(std::string_view text) noexcept {
  const auto ends = std::count(text.begin(), text.end(), '\n');
  return static_cast<std::int32_t>(ends + (!text.empty() && text.back() != '\n' ? 1 : 0));
}

log_piece piece_of(std::string_view text, std::int32_t first_line, std::int32_t from_line,
                   const piece_limits& limits) noexcept {
  log_piece piece;
  piece.from_line = std::max(first_line, from_line);
  if (limits.tail) {
    const auto lines = count_lines(text);
    text = end_lines_of(text, std::min(*limits.tail, limits.lines), limits.bytes);
    piece.from_line = last_number(first_line, std::int64_t{lines} - count_lines(text) + 1);
  }
  auto line = first_line;
  if (!limits.tail)
    for (; line < piece.from_line && !text.empty(); ++line)
      text.remove_prefix(first_line_bytes(text));
  if (text.empty())
    piece.to_line = last_number(limits.tail ? first_line : line, 0);
  else
    take_lines(piece, text, limits);
  return piece;
}

} // namespace ringmaster::core
