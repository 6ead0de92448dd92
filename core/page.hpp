#pragma once

// One page of a long list.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ringmaster::core {

/// Which part of a list: the console's way, by position.
struct page_window {
  std::size_t offset = 0;
  /// At most `page_rows_max` are given.
  std::size_t limit = 10;
};

/// A page has no more rows, whatever is asked for.
inline constexpr std::size_t page_rows_max = 1000;

/// Long texts of the rows of one page of jobs or of one job's sources, in bytes. A list ends before the row that would exceed it,
/// but not before its first row: what others wrote may be longer.
inline constexpr std::size_t page_text_bytes = 8 * 1024 * 1024;

template <class Row>
struct page {
  std::vector<Row> rows;
  /// Rows of the whole list.
  std::int64_t total = 0;
  /// Counting stopped at `total`: there are at least so many.
  bool total_is_capped = false;
};

} // namespace ringmaster::core
