#include "core/text/url_text.hpp"

#include <algorithm>
#include <charconv>

namespace ringmaster::core {

namespace {

template <class Number>
std::optional<Number> whole_number(std::string_view digits, int base) noexcept {
  Number number{};
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  return failure == std::errc{} && end == digits.data() + digits.size() ? std::optional{number} : std::nullopt;
}

} // namespace

bool url_parts::may_have_account() const noexcept {
  const auto before_slash = path.empty() ? tail.substr(0, tail.find('/')) : std::string_view{};
  return authority.find('@') != std::string_view::npos || before_slash.find('@') != std::string_view::npos;
}

url_parts split_url(std::string_view url) noexcept {
  constexpr std::string_view mark = "://";
  const auto at = url.find(mark);
  if (at == std::string_view::npos)
    return split_schemeless(url);
  auto parts = split_schemeless(url.substr(at + mark.size()));
  parts.scheme = url.substr(0, at);
  return parts;
}

url_parts split_schemeless(std::string_view text) noexcept {
  url_parts parts;
  parts.authority = text.substr(0, text.find_first_of("/?#"));
  text.remove_prefix(parts.authority.size());
  parts.path = text.substr(0, text.find_first_of("?#"));
  parts.tail = text.substr(parts.path.size());
  return parts;
}

host_port split_host_port(std::string_view text) noexcept {
  host_port parts;
  const auto close = text.starts_with('[') ? text.find(']') : std::string_view::npos;
  parts.in_brackets = close != std::string_view::npos;
  const auto rest = parts.in_brackets ? text.substr(close + 1) : text;
  const auto colon = rest.rfind(':');
  const auto before = rest.substr(0, colon);
  if (colon != std::string_view::npos)
    parts.port = rest.substr(colon + 1);
  parts.host = parts.in_brackets ? text.substr(1, close - 1) : before;
  parts.is_plain = parts.in_brackets ? before.empty() : before.find_first_of("[]:") == std::string_view::npos;
  return parts;
}

bool is_ip6_without_brackets(std::string_view place) noexcept {
  constexpr auto colons_min = 6; // in an address without `::` that ends like an IPv4 address
  return place.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos
         && (place.find("::") != std::string_view::npos || std::count(place.begin(), place.end(), ':') >= colons_min);
}

authority_parts split_authority(std::string_view authority) noexcept {
  const auto at = authority.rfind('@');
  if (at == std::string_view::npos)
    return {std::nullopt, authority};
  return {authority.substr(0, at), authority.substr(at + 1)};
}

std::optional<std::uint16_t> parse_port(std::string_view digits) noexcept { return whole_number<std::uint16_t>(digits, 10); }

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += plus_is_space && text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const auto digits = text.substr(i + 1, 2);
    const auto byte = digits.size() == 2 ? whole_number<std::uint8_t>(digits, 16) : std::nullopt;
    if (!byte)
      return std::nullopt;
    out += static_cast<char>(*byte);
    i += 2;
  }
  return out;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (plain.find(c) != std::string_view::npos)
      out += c;
    else
      out += {'%', digits[byte >> 4U], digits[byte & 15U]};
  }
  return out;
}

} // namespace ringmaster::core
