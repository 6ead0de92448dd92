#include "tests/unit/settings_text.hpp"

#include <string_view>
#include <variant>
#include <vector>

#include "config/keys.hpp"
#include "config/text/units.hpp"

namespace ringmaster::test {

namespace {

using config::milliseconds;
using config::settings;

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      constexpr char digits[] = "0123456789abcdef";
      out += {'\\', 'u', '0', '0', digits[static_cast<unsigned char>(c) >> 4], digits[c & 0xF]};
    } else
      out += c;
  }
  return out += '"';
}

/// Visitor that prints one setting of any type.
struct printer {
  settings& values;
  const config::setting& which;

  std::string operator()(std::string& (*where)(settings&)) const { return in_quotes(where(values)); }
  std::string operator()(bool& (*where)(settings&)) const { return where(values) ? "true" : "false"; }
  std::string operator()(std::int64_t& (*where)(settings&)) const { return std::to_string(where(values)); }
  std::string operator()(std::size_t& (*where)(settings&)) const {
    const auto number = static_cast<std::int64_t>(where(values));
    return which.how == config::form::size ? in_quotes(config::format_size(number)) : std::to_string(number);
  }
  std::string operator()(milliseconds& (*where)(settings&)) const { return in_quotes(config::format_duration(where(values))); }
  std::string operator()(std::vector<std::string>& (*where)(settings&)) const {
    std::string out = "[";
    for (const std::string& each : where(values))
      out.append(out.size() > 1 ? ", " : "").append(in_quotes(each));
    return out += "]";
  }
};

} // namespace

std::string settings_text(settings values) {
  std::string out;
  std::string_view section;
  for (const config::setting& each : config::all_settings()) {
    const auto dot = each.name.find('.');
    const auto name = dot == std::string_view::npos ? each.name : each.name.substr(dot + 1);
    if (dot != std::string_view::npos && each.name.substr(0, dot) != section) {
      section = each.name.substr(0, dot);
      out.append("\n[").append(section).append("]\n");
    }
    out.append(name).append(" = ").append(std::visit(printer{values, each}, each.where)).append("\n");
  }
  return out;
}

} // namespace ringmaster::test
