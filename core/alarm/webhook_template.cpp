#include "core/alarm/webhook_template.hpp"

namespace ringmaster::core {

std::string fill_template(std::string_view text, const std::map<std::string, std::string, std::less<>>& fields,
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
