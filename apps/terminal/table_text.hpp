#pragma once

// Tables for terminal output.

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringmaster::apps {

/// Formats columns as wide as their widest cell, separated by two spaces, without trailing spaces. The first row is the heading.
/// On a narrower terminal the widest columns are cut; cut cells end with `…`.
[[nodiscard]] std::string table_text(const std::vector<std::vector<std::string>>& rows);

/// A column that is narrowed before all others, because its beginning says least.
struct narrow_first {
  std::size_t column = 0;
  /// Width down to which it is narrowed first.
  std::size_t least = 0;
};

/// Formats the table for a terminal with `columns_max` columns; 0: no limit. `first`: columns to narrow first, in this order.
/// Their cut cells keep their ends, after a `…`.
[[nodiscard]] std::string table_text(const std::vector<std::vector<std::string>>& rows, std::size_t columns_max,
                                     std::span<const narrow_first> first = {});

/// Returns the number of columns of the terminal at standard output; 0: not a terminal.
[[nodiscard]] std::size_t terminal_columns();

/// Formats `name: value` lines with aligned values. Further lines of a value are indented below it.
[[nodiscard]] std::string fields_text(const std::vector<std::pair<std::string, std::string>>& fields);

/// Returns a number of things: `1 job`, `2 jobs`.
[[nodiscard]] std::string counted(std::size_t number, std::string_view noun);

/// Makes untrusted text safe for a terminal: replaces control characters and direction marks with spaces, except those in `kept`.
[[nodiscard]] std::string harmless(std::string text, std::string_view kept);
/// Makes untrusted text safe and puts it on one line.
[[nodiscard]] std::string one_line(std::string text);

} // namespace ringmaster::apps
