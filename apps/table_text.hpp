#pragma once

// Tables that commands print for people.

#include <string>
#include <vector>

namespace ringmaster::apps {

/// Columns as wide as their widest cell, two blanks between them, no blanks at the end. The first row is the heading.
[[nodiscard]] std::string table_text(const std::vector<std::vector<std::string>>& rows);

/// `name: value`, one line each, values aligned. A value of several lines goes on below.
[[nodiscard]] std::string fields_text(const std::vector<std::pair<std::string, std::string>>& fields);

/// One line: control characters are blanks.
[[nodiscard]] std::string one_line(std::string text);

} // namespace ringmaster::apps
