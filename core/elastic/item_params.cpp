#include "core/elastic/item_params.hpp"

#include <set>
#include <utility>

#include "core/elastic/item_params_object.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core::elastic {

namespace {

/// Removes leading and trailing characters up to U+0020, which is Java's `trim`.
std::string_view without_blanks(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.substr(0, 1)))
    text.remove_prefix(1);
  while (!text.empty() && is_blank(text.substr(text.size() - 1)))
    text.remove_suffix(1);
  return text;
}

/// Removes separators at the end: Java's `split` drops empty parts there.
std::string_view without_end(std::string_view text, char separator) noexcept {
  while (text.ends_with(separator))
    text.remove_suffix(1);
  return text;
}

auto fail_part(std::size_t number, std::string_view part, std::string_view why) {
  return fail(errc::invalid_argument, "invalid item parameters: part " + std::to_string(number) + " \"" +
                                          std::string{cut_bytes(part, 60)} + "\" " + std::string{why});
}

/// Reads one `key=value`.
result<void> read_pair(std::size_t number, std::string_view part, const item_param_taker& take) {
  const auto pair = without_end(without_blanks(part), '=');
  const auto equals = pair.find('=');
  if (equals == std::string_view::npos)
    return fail_part(number, part, "must have the form item=text");
  const auto key = parse_int32(without_blanks(pair.substr(0, equals)));
  const auto value = without_blanks(pair.substr(equals + 1));
  if (key && value.find('=') != std::string_view::npos) {
    const auto object = params_object({{*key, std::string{cut_bytes(value, 60)}}});
    return fail_part(number, part, "has a text with an equals sign, which only the form " + object + " can hold");
  }
  if (!key)
    return fail_part(number, part, "has a key that is not an integer");
  if (const auto why = take(*key, std::string{value}); !why.empty())
    return fail_part(number, part, why);
  return {};
}

/// Reads both forms.
result<void> read_item_params(std::string_view text, const item_param_taker& take) {
  if (text.size() > item_params_bytes_max)
    return fail(errc::too_large, "item parameters are longer than " + std::to_string(item_params_bytes_max) + " bytes");
  if (valid_utf8(text) != text)
    return fail(errc::invalid_argument, "invalid item parameters: not valid UTF-8, or with a NUL character");
  if (without_blanks(text).starts_with('{'))
    return read_params_object(without_blanks(text), take);
  auto rest = without_end(text, ',');
  for (std::size_t number = 1; !rest.empty(); ++number)
    if (auto read = read_pair(number, take_item(rest), take); !read)
      return read;
  return {};
}

/// Returns whether ElasticJob's form holds this value unchanged.
bool is_plain_value(std::string_view value) noexcept {
  return !value.empty() && value.find_first_of(",=") == std::string_view::npos && without_blanks(value) == value;
}

} // namespace

result<item_params> parse_item_params(std::string_view text) {
  item_params params;
  const auto add = [&params](std::int32_t item, std::string&& value) {
    params.insert_or_assign(item, std::move(value));
    return std::string_view{};
  };
  return read_item_params(text, add).map([&] { return std::move(params); });
}

result<void> check_item_params(std::string_view text, std::int32_t total) {
  std::set<std::int32_t> items;
  const auto add = [&items](std::int32_t item, std::string&&) -> std::string_view {
    return items.insert(item).second ? "" : "gives an item for the second time";
  };
  if (auto read = read_item_params(text, add); !read)
    return read;
  if (items.empty() || (*items.begin() >= 0 && *items.rbegin() < total))
    return {};
  const auto wrong = *items.begin() < 0 ? *items.begin() : *items.lower_bound(total);
  return fail(errc::invalid_argument, "invalid item parameters: the job has no item " + std::to_string(wrong)
                                        + (total == 1 ? ", only item 0" : ", only items 0 to " + std::to_string(total - 1)));
}

std::string item_params_text(const item_params& params) {
  std::string text;
  for (const auto& [item, value] : params) {
    if (!is_plain_value(value))
      return params_object(params);
    text += (text.empty() ? "" : ",") + std::to_string(item) + '=' + value;
  }
  return text;
}

std::optional<std::string_view> param_of(const item_params& params, std::int32_t item) {
  const auto found = params.find(item);
  if (found == params.end())
    return std::nullopt;
  return found->second;
}

} // namespace ringmaster::core::elastic
