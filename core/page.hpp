#pragma once

// One page of a long list.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ringmaster::core {

/// Part of a list by position, as the console pages.
struct page_window {
  std::size_t offset = 0;
  /// Maximum number of rows; never more than `page_rows_max`.
  std::size_t limit = 10;
};

/// Upper limit of rows on a page, regardless of the request.
inline constexpr std::size_t page_rows_max = 1000;

/// Maximum size in bytes of the long texts on one page of jobs or of one job's sources. A list ends before the row that would
/// exceed it, but not before its first row: a row written by another admin may be longer.
inline constexpr std::size_t page_text_bytes = 8 * 1024 * 1024;

template <class Row>
struct page {
  std::vector<Row> rows;
  /// Number of rows in the whole list.
  std::int64_t total = 0;
  /// Counting stopped at `total`: the list has at least this many rows.
  bool total_is_capped = false;
};

} // namespace ringmaster::core
