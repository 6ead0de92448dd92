#pragma once

// Writer of the format that config/declared/declared_file.hpp reads.

#include <string>
#include <string_view>

#include "core/editing/declared.hpp"

namespace ringmaster::config {

/// Returns one table with its head and a line feed at the end. Default values are omitted, so that equal objects have equal text.
/// Invalid UTF-8 becomes U+FFFD, and NUL is removed. An enumerator `unknown` of a job is omitted.
[[nodiscard]] std::string declared_text(const core::declared_group& group);
[[nodiscard]] std::string declared_text(const core::declared_job& job);
[[nodiscard]] std::string declared_text(const core::declared_alarm& alarm);
/// In `elastic_writer.cpp`.
[[nodiscard]] std::string declared_text(const core::declared_elastic_job& job);

/// Returns the text between quotes, on one line.
[[nodiscard]] std::string quoted_text(std::string_view text);

/// Returns the lines with `# ` before each; characters that a comment cannot hold become blanks.
[[nodiscard]] std::string comment_text(std::string_view lines);

} // namespace ringmaster::config
