#pragma once

#include <string>
#include <string_view>

namespace ringmaster::core {

/// Returns the text on one line, for logs: line ends become `\n`, other control characters except tabs `\x1b`. UTF-8 stays.
[[nodiscard]] std::string one_line(std::string_view text);

} // namespace ringmaster::core
