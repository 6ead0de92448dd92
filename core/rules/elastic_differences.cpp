#include "core/rules/elastic_differences.hpp"

#include <string>
#include <string_view>

#include "core/columns.hpp"
#include "core/elastic/elastic_fields.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

/// Characters of a value in a line.
constexpr std::size_t value_chars = 100;

std::string quoted_value(std::string_view text) {
  const auto cut = cut_characters(text, value_chars);
  return '"' + std::string{cut} + (cut.size() < text.size() ? "…\"" : "\"");
}

std::string value_text(const option_value& value) {
  if (std::holds_alternative<std::int64_t>(value))
    return std::to_string(number_of(value));
  return std::holds_alternative<std::monostate>(value) ? std::string{"none"} : quoted_value(text_of(value));
}

} // namespace

std::vector<audit_line> differences(const elastic::elastic_definition& before, const elastic::elastic_definition& after) {
  std::vector<audit_line> out;
  const auto add = [&](std::string_view name, const std::string& from, const std::string& to) {
    if (from != to)
      out.emplace_back(std::string{name} + ": " + from + " -> " + to);
  };
  add("name", quoted_value(before.name), quoted_value(after.name));
  add("type", quoted_value(before.kind), quoted_value(after.kind));
  add("handler", quoted_value(before.handler), quoted_value(after.handler));
  add("total", std::to_string(before.total), std::to_string(after.total));
  for (const auto& field : elastic::elastic_fields)
    if (field.get(before.options) != field.get(after.options))
      add(field.name, value_text(field.get(before.options)), value_text(field.get(after.options)));
  if (before.props != after.props)
    out.push_back(remark_line("props changed"));
  return out;
}

} // namespace ringmaster::core
