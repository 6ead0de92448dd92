#include "config/text/table_fields.hpp"

#include <cctype>
#include <limits>

#include "config/text/units.hpp"
#include "core/text/text.hpp"

namespace ringmaster::config {

bool is_key(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_' || c == '.'; });
}

std::string normal_name(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return c == '-' ? '_' : static_cast<char>(std::tolower(c)); });
  return name;
}

void table_fields::check_names(std::span<const std::string_view> known, std::span<const std::string_view> later) {
  for (const auto& [key, value] : table_) {
    const std::string_view name = key.str();
    if (std::find(known.begin(), known.end(), name) != known.end())
      continue;
    if (std::find(later.begin(), later.end(), name) != later.end())
      found_.add(key.source(), std::string{name} + ": not supported by this release");
    else
      found_.add(key.source(), "unknown key '" + std::string{name} + "'" + suggestion(name, known));
  }
}

std::string table_fields::text(std::string_view key, text_limit limit, std::string otherwise) {
  const toml::node* given = node(key);
  if (!given && limit.min == 0)
    return otherwise;
  if (!given) {
    refuse(key, "missing; it is required");
    return otherwise;
  }
  auto value = optional_text(key);
  if (!value)
    return otherwise;
  const std::size_t length = core::count_characters(*value);
  if (limit.min > 0 && core::is_blank(*value))
    refuse(key, "must not be blank");
  else if (value->find('\0') != std::string::npos)
    refuse(key, "must not contain NUL");
  else if (length < limit.min || length > limit.max)
    refuse(key,
           std::to_string(length) + " characters; allowed: " + std::to_string(limit.min) + " to " + std::to_string(limit.max));
  else
    return *std::move(value);
  return otherwise;
}

bool table_fields::flag(std::string_view key, bool otherwise) {
  const toml::node* given = node(key);
  if (given && !given->is_boolean())
    refuse(key, "expected true or false");
  return given ? given->value<bool>().value_or(otherwise) : otherwise;
}

std::int64_t table_fields::number(std::string_view key, std::int64_t min, std::int64_t max, std::int64_t otherwise) {
  const toml::node* given = node(key);
  if (!given)
    return otherwise;
  const auto* value = given->as_integer();
  if (value && value->get() >= min && value->get() <= max)
    return value->get();
  refuse(key, "expected a whole number from " + std::to_string(min) + " to " + std::to_string(max));
  return otherwise;
}

std::optional<std::int32_t> table_fields::seconds(std::string_view key) {
  const toml::node* given = node(key);
  if (!given)
    return std::nullopt;
  std::optional<std::int64_t> ms;
  constexpr std::int64_t seconds_max = std::numeric_limits<std::int32_t>::max();
  if (const auto* whole = given->as_integer(); whole && whole->get() >= 0 && whole->get() <= seconds_max)
    ms = whole->get() * 1000;
  else if (const auto* text = given->as_string())
    if (const auto duration = parse_duration(text->get()))
      ms = duration->count();
  if (ms && *ms % 1000 == 0 && *ms / 1000 <= seconds_max)
    return static_cast<std::int32_t>(*ms / 1000);
  refuse(key, R"(expected whole seconds, such as 5, "5s" or "10m")");
  return std::nullopt;
}

std::optional<std::vector<std::string>> table_fields::texts(std::string_view key) {
  const toml::node* given = node(key);
  if (!given)
    return std::nullopt;
  const auto* array = given->as_array();
  std::vector<std::string> out;
  for (std::size_t i = 0; array && i < array->size(); ++i)
    if (const auto* text = array->get(i)->as_string())
      out.push_back(text->get());
  if (array && out.size() == array->size())
    return out;
  refuse(key, "expected a list of texts");
  return std::nullopt;
}

void table_fields::refuse(std::string_view key, std::string_view problem) {
  const auto at = table_.find(key);
  found_.add(at == table_.end() ? table_.source() : at->first.source(), std::string{key}.append(": ").append(problem));
}

std::optional<std::string> table_fields::optional_text(std::string_view key) {
  const toml::node* given = node(key);
  if (!given)
    return std::nullopt;
  if (const auto* text = given->as_string())
    return text->get();
  refuse(key, "expected a text");
  return std::nullopt;
}

std::optional<std::string> table_fields::choice(std::string_view key, std::span<const std::string_view> names) {
  const auto given = optional_text(key);
  if (!given)
    return std::nullopt;
  auto normal = normal_name(*given);
  if (std::find(names.begin(), names.end(), normal) != names.end())
    return normal;
  add_unknown_name(key, *given, normal, names);
  return std::nullopt;
}

void table_fields::add_unknown_name(std::string_view key, const std::string& given, const std::string& normal,
                                    std::span<const std::string_view> names) {
  std::string problem = "\"" + given + "\" is unknown; expected one of ";
  for (const auto name : names)
    problem.append(name == names.front() ? "" : ", ").append(name);
  refuse(key, problem + suggestion(normal, names));
}

} // namespace ringmaster::config
