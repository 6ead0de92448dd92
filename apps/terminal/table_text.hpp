#pragma once

// Tables that commands print for people.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringmaster::apps {

/// Columns as wide as their widest cell, two blanks between them, no blanks at the end. The first row is the heading. On a
/// terminal that is narrower, the widest columns are cut, and cut cells end with `…`.
[[nodiscard]] std::string table_text(const std::vector<std::vector<std::string>>& rows);
/// The same for a terminal of so many columns; 0: whatever it takes.
[[nodiscard]] std::string table_text(const std::vector<std::vector<std::string>>& rows, std::size_t columns_max);

/// Columns of the terminal that standard output is; 0: it is none.
[[nodiscard]] std::size_t terminal_columns();

/// `name: value`, one line each, values aligned. A value of several lines goes on below.
[[nodiscard]] std::string fields_text(const std::vector<std::pair<std::string, std::string>>& fields);

/// Somebody else's text for a terminal, which obeys control characters and those of a text's direction: they are blanks, but for
/// the ones in `kept`.
[[nodiscard]] std::string harmless(std::string text, std::string_view kept);
/// The same as one line.
[[nodiscard]] std::string one_line(std::string text);

} // namespace ringmaster::apps
