#pragma once

// Maps a vector of any length to prepared statements of few lengths.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace ringmaster::storage::mysql {

/// The rows of a vector that one statement handles.
struct chunk {
  std::size_t begin = 0;
  std::size_t count = 0;
  /// Rows of the statement: `count`, or more when the last row is repeated to fill it.
  std::size_t rows = 0;

  /// Returns the index of the vector's row that is the statement's row `i`.
  [[nodiscard]] std::size_t at(std::size_t i) const noexcept { return begin + std::min(i, count - 1); }
};

/// Maximum number of rows. Statements have 1, 2, 4 … 512 rows, so a batch of 500 takes at most nine and a connection prepares
/// each text at most ten times.
inline constexpr std::size_t rows_max = 512;
/// Maximum number of rows with CASE, which compares each row with all preceding ones.
inline constexpr std::size_t case_rows_max = 128;
/// Maximum length of text in one statement: the smallest default `max_allowed_packet` of servers is 4 MB.
inline constexpr std::size_t statement_bytes_max = 1024 * 1024;

/// Statements of up to this many rows are padded if at least half full: reading a row again costs less than another statement.
inline constexpr std::size_t repeated_max = 32;

/// Returns chunks that contain each row exactly once: for INSERT.
[[nodiscard]] inline std::vector<chunk> exact_chunks(std::size_t size) {
  std::vector<chunk> out;
  std::size_t begin = 0;
  for (std::size_t rows = rows_max; rows > 0; rows /= 2)
    for (; size - begin >= rows; begin += rows)
      out.push_back({begin, rows, rows});
  return out;
}

/// Returns chunks whose last row may be repeated, where that saves statements: for `IN (…)` and CASE.
[[nodiscard]] inline std::vector<chunk> padded_chunks(std::size_t size, std::size_t max = rows_max) {
  std::vector<chunk> out;
  std::size_t begin = 0;
  for (std::size_t rows = max; begin < size; rows /= 2) {
    for (; size - begin >= rows; begin += rows)
      out.push_back({begin, rows, rows});
    const auto left = size - begin;
    if (left < rows && left > (rows <= repeated_max ? rows / 2 : rows - rows / 4)) {
      out.push_back({begin, left, rows});
      begin = size;
    }
  }
  return out;
}

/// Returns chunks like `cut(size)` for rows with long texts: `bytes_of(i)` is the size that row `i` adds to its statement.
template <class Bytes, class Cut>
[[nodiscard]] std::vector<chunk> chunks_within_bytes(std::size_t size, Bytes bytes_of, Cut cut) {
  std::vector<chunk> out;
  for (std::size_t begin = 0; begin < size;) {
    std::size_t end = begin;
    for (std::size_t bytes = 0; end < size && (end == begin || bytes + bytes_of(end) <= statement_bytes_max); ++end)
      bytes += bytes_of(end);
    for (auto part : cut(end - begin)) {
      part.begin += begin;
      out.push_back(part);
    }
    begin = end;
  }
  return out;
}

/// Returns the distinct values in ascending order, the order in which rows are locked.
template <class T>
[[nodiscard]] std::vector<T> sorted(std::span<const T> values) {
  std::vector<T> out{values.begin(), values.end()};
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

} // namespace ringmaster::storage::mysql
