#include "protocol/wire/v1/api_members.hpp"

#include <algorithm>
#include <utility>

#include "core/text/text.hpp"
#include "core/text/url_text.hpp"

namespace ringmaster::protocol::wire {

namespace {

using json = nlohmann::json;

constexpr std::size_t members_depth_max = 8;
/// Maximum length of a name in a message.
constexpr std::size_t shown_member_chars = 64;

std::string shown_member(std::string_view name) {
  return std::string{core::cut_characters(core::valid_utf8(name), shown_member_chars)};
}

tl::unexpected<core::error> wrong_members(std::string why) { return core::fail(core::errc::invalid_argument, std::move(why)); }

/// Counts brackets outside of strings, so that no document is built from a body that is too deep.
bool is_too_deep(std::string_view body) noexcept {
  std::size_t depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const char c = body[i];
    if (in_text && c == '\\')
      ++i;
    else if (c == '"')
      in_text = !in_text;
    else if (!in_text && (c == '{' || c == '['))
      ++depth;
    else if (!in_text && (c == '}' || c == ']') && depth > 0)
      --depth;
    if (depth > members_depth_max)
      return true;
  }
  return false;
}

/// Records the first name that an object has twice: the document would let the last one win. A pass of its own, because
/// nlohmann's parser with a callback visits all elements of an array again after each object in it.
class name_watch final : public json::json_sax_t {
public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool start_object(std::size_t) override {
    names_.emplace_back();
    return true;
  }
  bool end_object() override {
    names_.pop_back();
    return true;
  }
  bool key(string_t& name) override {
    if (!names_.back().insert(name).second && !twice)
      twice = name;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

  std::optional<std::string> twice;

private:
  std::vector<std::set<std::string>> names_;
};

/// Returns a value as a parameter of a query has it; nothing for one that no parameter can have.
std::optional<std::string> query_value_of(const json& value) {
  if (value.is_string())
    return value.get<std::string>();
  if (value.is_boolean() || value.is_number_integer())
    return value.dump();
  if (!value.is_array())
    return std::nullopt;
  std::string list;
  for (const auto& each : value) {
    const auto text = each.is_array() ? std::nullopt : query_value_of(each);
    if (!text)
      return std::nullopt;
    list.append(list.empty() ? "" : ",").append(*text);
  }
  return list;
}

} // namespace

core::result<json> parse_api_object(std::string_view body) {
  if (is_too_deep(body))
    return wrong_members("the body has more than " + std::to_string(members_depth_max) + " levels");
  name_watch watch;
  if (!json::sax_parse(body, &watch))
    return wrong_members("the body is not valid JSON");
  if (watch.twice)
    return wrong_members(shown_member(*watch.twice) + ": duplicate member of an object");
  auto parsed = json::parse(body, nullptr, false);
  if (!parsed.is_object())
    return wrong_members("the body must be a JSON object");
  return parsed;
}

api_members::api_members(const json& object, std::string path) : object_{object}, path_{std::move(path)} {}

void api_members::wrong(std::string_view name, std::string_view what) {
  if (!problem_)
    problem_ = core::error{core::errc::invalid_argument, path_ + std::string{name} + ": " + std::string{what}};
}

const json* api_members::find(std::string_view name) {
  known_.emplace(name);
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

const json* api_members::find_array(std::string_view name, std::size_t max) {
  const auto* found = find(name);
  if (found && !found->is_array())
    wrong(name, "must be an array");
  else if (found && found->size() > max)
    wrong(name, "has more than " + std::to_string(max) + " items");
  else
    return found;
  return nullptr;
}

// -- texts -----------------------------------------------------------------------------------------------------------------

std::string api_members::text_of(const json& value, std::string_view name) {
  if (!value.is_string()) {
    wrong(name, "must be a string");
    return {};
  }
  const auto& text = value.get_ref<const std::string&>();
  if (text.find('\0') != std::string::npos)
    wrong(name, "must not contain NUL");
  return text;
}

std::optional<std::string> api_members::maybe_text(std::string_view name) {
  const auto* found = find(name);
  return found ? std::optional{text_of(*found, name)} : std::nullopt;
}

std::string api_members::text(std::string_view name) { return maybe_text(name).value_or(std::string{}); }

std::string api_members::needed_text(std::string_view name) {
  auto found = maybe_text(name);
  if (!found)
    wrong(name, "is missing");
  return std::move(found).value_or(std::string{});
}

// -- numbers ---------------------------------------------------------------------------------------------------------------

std::int64_t api_members::number_of(const json& value, std::string_view name, std::int64_t min, std::int64_t max) {
  const bool fits =
    value.is_number_integer() && (!value.is_number_unsigned() || std::in_range<std::int64_t>(value.get<std::uint64_t>()));
  if (!fits) {
    wrong(name, "must be a whole number");
    return min;
  }
  const auto number = value.get<std::int64_t>();
  if (number < min || number > max)
    wrong(name, "must be from " + std::to_string(min) + " to " + std::to_string(max));
  return std::clamp(number, min, max);
}

std::optional<std::int64_t> api_members::maybe_number(std::string_view name, std::int64_t min, std::int64_t max) {
  const auto* found = find(name);
  return found ? std::optional{number_of(*found, name, min, max)} : std::nullopt;
}

std::int32_t api_members::count(std::string_view name) {
  return static_cast<std::int32_t>(maybe_number(name, 0, std::numeric_limits<std::int32_t>::max()).value_or(0));
}

std::optional<std::int32_t> api_members::maybe_id(std::string_view name) {
  const auto found = maybe_number(name, 1, std::numeric_limits<std::int32_t>::max());
  return found ? std::optional{static_cast<std::int32_t>(*found)} : std::nullopt;
}

std::int32_t api_members::needed_id(std::string_view name) {
  const auto found = maybe_id(name);
  if (!found)
    wrong(name, "is missing");
  return found.value_or(0);
}

std::optional<bool> api_members::optional_boolean(std::string_view name) {
  const auto* found = find(name);
  if (!found)
    return std::nullopt;
  if (!found->is_boolean())
    wrong(name, "must be true or false");
  return found->is_boolean() && found->get<bool>();
}

bool api_members::required_boolean(std::string_view name) {
  const auto found = optional_boolean(name);
  if (!found)
    wrong(name, "is missing");
  return found.value_or(false);
}

// -- arrays ----------------------------------------------------------------------------------------------------------------

std::optional<std::vector<std::string>> api_members::maybe_texts(std::string_view name, std::size_t max) {
  const auto* found = find_array(name, max);
  if (!found)
    return std::nullopt;
  std::vector<std::string> texts;
  for (const auto& each : *found)
    texts.push_back(text_of(each, std::string{name} + '[' + std::to_string(texts.size()) + ']'));
  return texts;
}

std::optional<std::vector<std::int64_t>> api_members::maybe_numbers(std::string_view name, std::size_t max, std::int64_t low,
                                                                    std::int64_t high) {
  const auto* found = find_array(name, max);
  if (!found)
    return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const auto& each : *found)
    numbers.push_back(number_of(each, std::string{name} + '[' + std::to_string(numbers.size()) + ']', low, high));
  return numbers;
}

std::optional<std::vector<std::int32_t>> api_members::maybe_ids(std::string_view name, std::size_t max) {
  const auto found = maybe_numbers(name, max, 1, std::numeric_limits<std::int32_t>::max());
  if (!found)
    return std::nullopt;
  std::vector<std::int32_t> ids;
  for (const auto each : *found)
    ids.push_back(static_cast<std::int32_t>(each));
  return ids;
}

std::optional<std::map<std::string, std::optional<std::string>, std::less<>>> api_members::maybe_named_texts(
  std::string_view name, std::size_t max) {
  const auto* found = find(name);
  if (!found)
    return std::nullopt;
  std::map<std::string, std::optional<std::string>, std::less<>> texts;
  if (!found->is_object())
    wrong(name, "must be an object");
  else if (found->size() > max)
    wrong(name, "has more than " + std::to_string(max) + " members");
  else
    for (const auto& [member, value] : found->items())
      texts.emplace(member, value.is_null() ? std::nullopt
                                            : std::optional{text_of(value, std::string{name} + '.' + shown_member(member))});
  return texts;
}

// -- filters ---------------------------------------------------------------------------------------------------------------

std::optional<std::string> api_members::query_text(std::string_view name) {
  const auto* found = find(name);
  if (found && !found->is_object())
    wrong(name, "must be an object");
  if (!found || !found->is_object())
    return std::nullopt;
  std::string query;
  for (const auto& [member, value] : found->items()) {
    if (value.is_null())
      continue;
    const auto text = query_value_of(value);
    if (!text)
      wrong(std::string{name} + '.' + shown_member(member), "must be text, a whole number, true, false, or a list of these");
    query.append(query.empty() ? "" : "&").append(core::percent_encoded(member)).append("=");
    query += core::percent_encoded(text.value_or(std::string{}));
  }
  return query;
}

core::result<void> api_members::check() const {
  if (problem_)
    return tl::unexpected{*problem_};
  for (const auto& [name, value] : object_.items())
    if (!known_.contains(name))
      return wrong_members(path_ + shown_member(name) + ": is unknown");
  return {};
}

} // namespace ringmaster::protocol::wire
