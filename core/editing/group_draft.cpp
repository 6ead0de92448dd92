#include "core/editing/group_draft.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "core/columns.hpp"
#include "core/text/text.hpp"
#include "core/text/url_text.hpp"

namespace ringmaster::core {

namespace {

constexpr std::size_t app_name_chars_min = 4;
/// Maximum length of a refused address in an error.
constexpr std::size_t shown_group_chars = 300;

tl::unexpected<error> misfit(refusal why, std::string context, std::string subject = {}) {
  return refuse(errc::invalid_argument, why, std::move(context), std::move(subject));
}

std::string shown_address(std::string_view text) { return std::string{cut_characters(valid_utf8(text), shown_group_chars)}; }

std::string in_lower_case(std::string_view text) {
  std::string out{text};
  for (char& c : out)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c | 0x20);
  return out;
}

/// Returns true if the text contains `word`, followed by any blanks and `sign`.
bool has_word_before(std::string_view text, std::string_view word, char sign) noexcept {
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + word.size())) {
    const auto next = text.find_first_not_of(" \t\r\n\v\f", at + word.size());
    if (next != std::string_view::npos && text[next] == sign)
      return true;
  }
  return false;
}

/// Returns true for `host` or `host:port`, with or without trailing parts.
bool names_a_host(const url_parts& url) noexcept {
  const auto is_blank_or_control = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7F; };
  const auto has_blank = [&](std::string_view part) { return std::any_of(part.begin(), part.end(), is_blank_or_control); };
  if (has_blank(url.authority) || has_blank(url.path) || has_blank(url.tail)
      || url.authority.find_first_of("@\\\"'") != std::string_view::npos)
    return false;
  const auto place = split_host_port(url.authority);
  return !place.host.empty() && (!place.port || parse_port(*place.port).value_or(0) > 0);
}

result<void> check_app_name(std::string_view name) {
  if (is_blank(name))
    return misfit(refusal::app_name_empty, "the app name is empty");
  if (const auto length = count_characters(name); length < app_name_chars_min || length > app_name_chars)
    return misfit(refusal::app_name_length, "an app name must have 4 to 64 characters, not " + std::to_string(length));
  if (looks_like_script(name))
    return misfit(refusal::app_name_illegal, "the app name looks like script");
  if (has_hidden_characters(name))
    return misfit(refusal::none, std::string{"app_name: "}.append(no_hidden_characters));
  return {};
}

result<void> check_title(std::string_view title) {
  if (is_blank(title))
    return misfit(refusal::title_empty, "the title is empty");
  if (looks_like_script(title))
    return misfit(refusal::title_illegal, "the title looks like script");
  if (!fits(title, title_chars))
    return misfit(refusal::too_long, "title is longer than " + std::to_string(title_chars) + " characters", "title");
  return {};
}

result<void> check_address(std::string_view address) {
  const auto url = split_url(address);
  if (!url.is_http())
    return misfit(refusal::address_scheme,
                  "the address \"" + shown_address(address) + "\" begins neither with http:// nor https://");
  if (!names_a_host(url))
    return misfit(refusal::address_form, '"' + shown_address(address) + "\" is not a valid address; expected http://host:port/");
  if (!fits(address, address_chars))
    return misfit(refusal::too_long, "an address is longer than " + std::to_string(address_chars) + " characters", "addressList");
  return {};
}

result<void> check_addresses(std::string_view list) {
  if (is_blank(list))
    return misfit(refusal::addresses_empty, "a group with manual addresses has no address");
  if (looks_like_script(list))
    return misfit(refusal::addresses_illegal, "the list of addresses looks like script");
  if (list.size() > text_bytes)
    return misfit(refusal::too_long, "addressList is longer than " + std::to_string(text_bytes) + " bytes", "addressList");
  // XXL ignores trailing commas if there is text before them.
  auto rest = trimmed(list);
  while (rest.ends_with(','))
    rest.remove_suffix(1);
  bool more = true;
  while (more) {
    more = rest.find(',') != std::string_view::npos;
    const auto address = trimmed(take_item(rest));
    if (address.empty())
      return misfit(refusal::address_form, "the list of addresses contains a blank address");
    if (auto checked = check_address(address); !checked)
      return checked;
  }
  return {};
}

} // namespace

result<void> check(const group_draft& draft) {
  if (auto name = check_app_name(draft.app_name); !name)
    return name;
  if (auto title = check_title(draft.title); !title)
    return title;
  if (auto addresses = draft.type == 0 ? result<void>{} : check_addresses(draft.address_list); !addresses)
    return addresses;
  if (!draft.access_token.empty() && !is_group_token(draft.access_token))
    return fail(errc::invalid_argument, "accessToken: a token must have " + std::to_string(group_token_chars_min) + " to " +
                                          std::to_string(group_token_chars_max) + " visible ASCII characters");
  return {};
}

std::vector<std::string> addresses_in(std::string_view address_list) {
  std::unordered_set<std::string_view> seen;
  std::vector<std::string> out;
  while (!address_list.empty())
    if (const auto address = trimmed(take_item(address_list)); !address.empty() && seen.insert(address).second)
      out.emplace_back(address);
  return out;
}

bool looks_like_script(std::string_view text) {
  constexpr std::array<std::string_view, 2> schemes{"javascript:", "vbscript:"};
  constexpr std::array<std::string_view, 3> calls{"eval", "expression", "url"};
  constexpr std::array<std::string_view, 9> events{"onload", "onerror",  "onclick",  "onmouseover", "onfocus",
                                                   "onblur", "onsubmit", "onchange", "oninput"};
  // XXL's pattern also matches elements, which always contain one of these.
  if (text.find_first_of("<>") != std::string_view::npos)
    return true;
  const auto lower = in_lower_case(text);
  const auto has = [&](std::string_view word) { return lower.find(word) != std::string::npos; };
  return std::any_of(schemes.begin(), schemes.end(), has) ||
         std::any_of(calls.begin(), calls.end(), [&](std::string_view word) { return has_word_before(lower, word, '('); }) ||
         std::any_of(events.begin(), events.end(), [&](std::string_view word) { return has_word_before(lower, word, '='); });
}

} // namespace ringmaster::core
