#pragma once

#include <string>
#include <string_view>

namespace ringmaster::core {

/// Converts HTML to text: `<br>` ends a line, other usual tags are removed, entities become characters. Any other `<` is text,
/// as in XXL-JOB's headings and `List<String>`. The result is valid UTF-8 without control characters except line ends.
[[nodiscard]] std::string plain_text(std::string_view html);

} // namespace ringmaster::core
