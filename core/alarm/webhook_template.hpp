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
[[nodiscard]] inline std::string fill_template(std::string_view text,
                                               const std::map<std::string, std::string, std::less<>>& fields,
                                               template_escape escape) {
  std::string out;
  while (!text.empty()) {
    const auto open = text.find('{');
    out.append(text.substr(0, open));
    if (open == std::string_view::npos)
      break;
    text.remove_prefix(open);
    const auto close = text.find('}');
    const auto field = close == std::string_view::npos ? fields.end() : fields.find(text.substr(1, close - 1));
    if (field == fields.end()) {
      out += '{';
      text.remove_prefix(1);
      continue;
    }
    out += escape(field->second);
    text.remove_prefix(close + 1);
  }
  return out;
}

} // namespace ringmaster::core
