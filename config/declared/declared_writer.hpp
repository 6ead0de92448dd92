#pragma once

// Writes what config/declared/declared_file.hpp reads.

#include <string>
#include <string_view>

#include "core/editing/declared.hpp"

namespace ringmaster::config {

/// One table with its head and a line feed at the end. What has its default is left out, so what is equal has equal text. Any
/// bytes may come in: those that are no UTF-8 become U+FFFD, NUL goes. A job with an enumerator `unknown` has no such line.
[[nodiscard]] std::string declared_text(const core::declared_group& group);
[[nodiscard]] std::string declared_text(const core::declared_job& job);
[[nodiscard]] std::string declared_text(const core::declared_alarm& alarm);

/// A text between quotes: on one line, whatever is in it.
[[nodiscard]] std::string quoted_text(std::string_view text);

/// Each line behind `# `; characters that a comment cannot hold become blanks.
[[nodiscard]] std::string comment_text(std::string_view lines);

} // namespace ringmaster::config
