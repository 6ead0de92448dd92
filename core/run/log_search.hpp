#pragma once

// Search in the text of a log. Pure.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringmaster::core {

/// Most matches of one search, and the default.
inline constexpr std::size_t log_matches_max = 200;
/// Longest searched text in bytes.
inline constexpr std::size_t log_wanted_bytes_max = 256;
/// Most UTF-16 units of a line that a match shows.
inline constexpr std::size_t match_text_units = 500;

struct log_search {
  /// Searched text: plain, at least one byte, without a line end.
  std::string wanted;
  /// False: the case of ASCII letters does not matter.
  bool match_case = false;
  std::int32_t from_line = 1;
  std::size_t limit = log_matches_max;
};

/// First occurrence in a line. Counted in UTF-16 units, as browsers do.
struct log_match {
  std::int32_t line = 0;
  /// Position in the line; the first character is 1.
  std::int32_t column = 0;
  std::int32_t length = 0;
  /// Beginning of the line, or of a long line a part with the occurrence, at most `match_text_units`.
  std::string text;
};

/// Searches lines for one text. One object for a whole search.
class line_search {
public:
  explicit line_search(log_search asked);

  /// Searches the lines of `text`, valid UTF-8, the first of which has the number `first_line`, until there are enough matches.
  /// Returns the number of the first line that was not searched.
  std::int32_t search(std::string_view text, std::int32_t first_line);
  [[nodiscard]] bool has_enough() const noexcept { return matches_.size() >= asked_.limit; }
  [[nodiscard]] std::vector<log_match>& matches() noexcept { return matches_; }

private:
  void add(std::string_view line, std::size_t at, std::int32_t number);

  log_search asked_;
  std::vector<log_match> matches_;
  /// Text in lower case.
  std::string lowered_;
};

} // namespace ringmaster::core
