#include <algorithm>
#include <charconv>

#include "config/keys.hpp"
#include "config/text/units.hpp"

namespace ringmaster::config {

namespace {

core::result<void> refuse(std::string problem) { return core::fail(core::errc::invalid_argument, std::move(problem)); }

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

/// Formats a number in the setting's unit.
std::string shown(const setting& which, std::int64_t number) {
  switch (which.how) {
  case form::duration: return format_duration(milliseconds{number});
  case form::size: return format_size(number);
  default: return std::to_string(number);
  }
}

std::string expected(const setting& which) {
  switch (which.how) {
  case form::flag: return "true or false";
  case form::integer:
  case form::count: return "a whole number from " + shown(which, which.min) + " to " + shown(which, which.max);
  case form::duration: return std::string{duration_form};
  case form::size: return std::string{size_form};
  case form::list: return "a list of texts";
  case form::choice: {
    std::string out = "one of ";
    for (const auto each : which.choices)
      out.append(out.size() > 7 ? ", " : "").append(in_quotes(each));
    return out;
  }
  case form::secret:
  case form::url: return R"(a text, { env = "NAME" } or { file = "PATH" })";
  case form::text: break;
  }
  return "a text";
}

core::result<void> wrong_form(const setting& which) { return refuse("expected " + expected(which)); }

core::result<std::int64_t> to_number(const setting& which, const raw_value& value) {
  std::optional<std::int64_t> number;
  if (which.how == form::duration) {
    const auto* text = std::get_if<std::string>(&value);
    const auto duration = text ? parse_duration(*text) : std::nullopt;
    number = duration ? std::optional{duration->count()} : std::nullopt;
  } else if (which.how == form::size) {
    const auto* text = std::get_if<std::string>(&value);
    number = text ? parse_size(*text) : std::nullopt;
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    number = *integer;
  }
  if (!number)
    return tl::unexpected(wrong_form(which).error());
  if (*number < which.min || *number > which.max)
    return tl::unexpected(
        refuse(shown(which, *number) + " is out of range; allowed: " + shown(which, which.min) + " to " + shown(which, which.max))
            .error());
  return *number;
}

/// Visitor that stores a value of the setting's type.
struct storer {
  settings& values;
  const setting& which;
  const raw_value& value;

  core::result<void> operator()(std::string& (*where)(settings&)) const {
    const auto* text = std::get_if<std::string>(&value);
    if (!text)
      return wrong_form(which);
    if (which.how == form::choice && std::find(which.choices.begin(), which.choices.end(), *text) == which.choices.end())
      return refuse(in_quotes(*text) + " is unknown; expected " + expected(which));
    where(values) = *text;
    return {};
  }

  core::result<void> operator()(bool& (*where)(settings&)) const {
    const auto* flag = std::get_if<bool>(&value);
    if (!flag)
      return wrong_form(which);
    where(values) = *flag;
    return {};
  }

  core::result<void> operator()(std::vector<std::string>& (*where)(settings&)) const {
    const auto* list = std::get_if<std::vector<std::string>>(&value);
    if (!list)
      return wrong_form(which);
    where(values) = *list;
    return {};
  }

  template <class Number>
  core::result<void> operator()(Number& (*where)(settings&)) const {
    const auto number = to_number(which, value);
    if (!number)
      return tl::unexpected(number.error());
    where(values) = Number(*number);
    return {};
  }
};

std::string_view trimmed(std::string_view text) noexcept {
  const auto first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view{} : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

} // namespace

core::result<raw_value> read_text(const setting& which, std::string_view text) {
  switch (which.how) {
  case form::flag:
    if (text == "true" || text == "false")
      return text == "true";
    return tl::unexpected(wrong_form(which).error());
  case form::integer:
  case form::count: {
    std::int64_t number = 0;
    auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (status == std::errc{} && end == text.data() + text.size())
      return number;
    return tl::unexpected(wrong_form(which).error());
  }
  case form::list: {
    std::vector<std::string> list;
    for (auto rest = text; !rest.empty();) {
      const auto comma = rest.find(',');
      if (const auto item = trimmed(rest.substr(0, comma)); !item.empty())
        list.emplace_back(item);
      rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    }
    return list;
  }
  default: return std::string{text};
  }
}

core::result<void> assign(settings& values, const setting& which, const raw_value& value) {
  return std::visit(storer{values, which, value}, which.where);
}

} // namespace ringmaster::config
