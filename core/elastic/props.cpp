#include "core/elastic/props.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "core/elastic/command_line.hpp"
#include "core/elastic/json_text.hpp"
#include "core/elastic/prop_fields.hpp"
#include "core/elastic/text_object.hpp"
#include "core/text/text.hpp"
#include "core/text/url_text.hpp"

namespace ringmaster::core::elastic {

namespace {

/// Characters of an unknown name in a message.
constexpr std::size_t shown_name_bytes = 100;

error prop_refused(std::string_view name, std::string_view why) {
  return {errc::invalid_argument, std::string{name}.append(": ").append(why)};
}

std::optional<std::int64_t> decimal_in(std::string_view text) noexcept {
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || failure != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

bool has_only(std::string_view text, bool (*is_allowed)(unsigned char)) {
  return std::all_of(text.begin(), text.end(), [is_allowed](char c) { return is_allowed(static_cast<unsigned char>(c)); });
}

bool is_latin_letter(unsigned char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
bool is_graphic(unsigned char c) { return c > ' ' && c < 0x7F; }
bool is_no_control(unsigned char c) { return c >= ' ' && c != 0x7F; }

/// Returns why the form is wrong; empty: it is right.
std::string form_mistake(const prop_field& field, std::string_view value) {
  switch (field.form) {
  case prop_form::text: return {};
  case prop_form::line: return has_only(value, is_no_control) ? "" : "must not contain control characters";
  case prop_form::letters: return has_only(value, is_latin_letter) ? "" : "expected letters only";
  case prop_form::flag: return value == "true" || value == "false" ? "" : "expected true or false";
  case prop_form::number: {
    const auto number = decimal_in(value);
    if (number && *number >= field.min && *number <= field.max)
      return {};
    return "expected a whole number from " + std::to_string(field.min) + " to " + std::to_string(field.max);
  }
  case prop_form::url: {
    const auto url = split_url(value);
    const bool is_right = has_only(value, is_graphic) && url.is_http() && !url.authority.empty() && !url.may_have_account();
    return is_right ? "" : "expected an http:// or https:// address without an account";
  }
  case prop_form::command_line: {
    const auto words = split_command_line(value);
    return words ? std::string{} : words.error().context;
  }
  }
  return {};
}

std::string value_mistake(const prop_field& field, std::string_view value) {
  if (field.is_secret && value == masked_value)
    return std::string{masked_value} + " stands for a value that is not shown: enter the value";
  if (value.find('\0') != value.npos || valid_utf8(value) != value)
    return "not a text in UTF-8";
  const bool has_length = field.form != prop_form::number && field.form != prop_form::flag;
  if (has_length && value.size() > static_cast<std::size_t>(field.max))
    return "longer than " + std::to_string(field.max) + " bytes";
  if (has_length && value.size() < static_cast<std::size_t>(field.min))
    return "must not be empty";
  return form_mistake(field, value);
}

result<void> check_prop(std::string_view job_type, const std::string& name, std::string_view value) {
  static constexpr prop_field custom{.name = custom_prop, .form = prop_form::text, .max = prop_bytes, .is_secret = true};
  const auto* field = is_custom_prop(name) ? &custom : find_prop(name);
  if (!field) {
    const auto shown = valid_utf8(name);
    return tl::unexpected{prop_refused(cut_bytes(shown, shown_name_bytes), "unknown property")};
  }
  if (!field->job_type.empty() && field->job_type != job_type)
    return tl::unexpected{prop_refused(name, "only jobs of type " + std::string{field->job_type} + " have this property")};
  if (const auto mistake = value_mistake(*field, value); !mistake.empty())
    return tl::unexpected{prop_refused(name, mistake)};
  return {};
}

} // namespace

result<job_props> parse_props(std::string_view text) {
  job_props props;
  if (text.empty())
    return props;
  const auto add = [&props](std::string&& name, std::string&& value) -> std::string_view {
    return props.emplace(std::move(name), std::move(value)).second ? "" : "the name is given twice";
  };
  if (auto read = read_text_object(text, add); !read) {
    read.error().context.insert(0, "invalid properties: ");
    return tl::unexpected{std::move(read.error())};
  }
  return props;
}

std::string props_text(const job_props& props) {
  if (props.empty())
    return {};
  std::string text = "{";
  for (const auto& [name, value] : props) {
    if (text.size() > 1)
      text += ',';
    append_json_text(text, name);
    text += ':';
    append_json_text(text, value);
  }
  return text + '}';
}

job_props shown_props(job_props props) {
  for (auto& [name, value] : props)
    if (const auto* field = find_prop(name); !field || field->is_secret)
      value = masked_value;
  return props;
}

job_props with_kept_values(job_props given, const job_props& stored) {
  for (auto& [name, value] : given)
    if (const auto* field = find_prop(name); value == masked_value && (!field || field->is_secret))
      if (const auto before = stored.find(name); before != stored.end())
        value = before->second;
  return given;
}

result<void> check_props(std::string_view job_type, const job_props& props) {
  for (const auto& [name, value] : props)
    if (auto sound = check_prop(job_type, name, value); !sound)
      return sound;
  for (const auto& field : prop_fields)
    if (field.is_required && field.job_type == job_type && !props.contains(field.name))
      return tl::unexpected{prop_refused(field.name, "missing; a job of type " + std::string{job_type} + " needs it")};
  return {};
}

std::string_view prop_text(const job_props& props, std::string_view name) {
  if (const auto found = props.find(name); found != props.end())
    return found->second;
  const auto* field = find_prop(name);
  return field ? field->otherwise : std::string_view{};
}

std::int64_t prop_number(const job_props& props, std::string_view name) {
  const auto* field = find_prop(name);
  const auto otherwise = decimal_in(field ? field->otherwise : std::string_view{}).value_or(0);
  return decimal_in(prop_text(props, name)).value_or(otherwise);
}

bool prop_flag(const job_props& props, std::string_view name) {
  const auto given = prop_text(props, name);
  if (given == "true" || given == "false")
    return given == "true";
  const auto* field = find_prop(name);
  return field && field->otherwise == "true";
}

} // namespace ringmaster::core::elastic
