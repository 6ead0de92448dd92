#pragma once

// A webhook's own body: text with `{names}`.

#include <map>
#include <string>
#include <string_view>


namespace ringmaster::core {

/// How a value is written into the template.
using template_escape = std::string (*)(std::string_view value);

/// Replaces every `{name}` of `fields`, escaped; braces around anything else stay as they are (JSON is full of them). A value is
/// never read as a template again.
[[nodiscard]] std::string fill_template(std::string_view text, const std::map<std::string, std::string, std::less<>>& fields,
                                        template_escape escape);

} // namespace ringmaster::core
