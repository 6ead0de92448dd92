#pragma once

// Body template of a webhook: text with `{names}`.

#include <map>
#include <string>
#include <string_view>


namespace ringmaster::core {

/// Function that escapes a value for the template.
using template_escape = std::string (*)(std::string_view value);

/// Replaces every `{name}` of `fields` by its escaped value. Braces around other text stay unchanged (JSON is full of them).
/// Values are not expanded again.
[[nodiscard]] std::string fill_template(std::string_view text, const std::map<std::string, std::string, std::less<>>& fields,
                                        template_escape escape);

} // namespace ringmaster::core
