#include "protocol/address_key.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>

#include "core/text/ascii_case.hpp"
#include "core/text/native_address.hpp"
#include "core/text/text.hpp"

namespace ringmaster::protocol {

namespace {

constexpr std::string_view loopback = "127.0.0.1";

struct address_split {
  std::string_view scheme = "http";
  std::string_view authority;
  /// The part from the first of `/?#` on.
  std::string_view rest;
};

struct authority_split {
  std::string_view host;
  std::string_view port;
};

address_split split_place(std::string_view address) {
  address_split parts;
  auto rest = core::trimmed(address);
  if (const auto mark = rest.find("://"); mark != std::string_view::npos) {
    parts.scheme = rest.substr(0, mark);
    rest.remove_prefix(mark + 3);
  }
  const auto end = std::min(rest.find_first_of("/?#"), rest.size());
  parts.authority = rest.substr(0, end);
  parts.rest = rest.substr(end);
  return parts;
}

authority_split split_authority(std::string_view authority) {
  if (const auto at = authority.rfind('@'); at != std::string_view::npos)
    authority.remove_prefix(at + 1);
  if (authority.starts_with('[')) {
    const auto close = std::min(authority.find(']'), authority.size());
    const auto after = authority.substr(std::min(close + 1, authority.size()));
    return {authority.substr(1, close - 1), after.starts_with(':') ? after.substr(1) : std::string_view{}};
  }
  const auto colon = std::min(authority.rfind(':'), authority.size());
  return {authority.substr(0, colon), authority.substr(std::min(colon + 1, authority.size()))};
}

std::string lower(std::string_view text) {
  std::string out{text};
  std::transform(out.begin(), out.end(), out.begin(), core::ascii_lower);
  return out;
}

std::string text_of(const in_addr& address) {
  constexpr std::uint32_t loopback_net = 127;
  const auto number = ntohl(address.s_addr);
  if (number == 0 || number >> 24U == loopback_net)
    return std::string{loopback};
  std::array<char, INET_ADDRSTRLEN> text{};
  return inet_ntop(AF_INET, &address, text.data(), text.size());
}

std::string text_of(const in6_addr& address) {
  if (IN6_IS_ADDR_LOOPBACK(&address) || IN6_IS_ADDR_UNSPECIFIED(&address))
    return std::string{loopback};
  if (IN6_IS_ADDR_V4MAPPED(&address)) {
    in_addr inner{};
    std::memcpy(&inner, address.s6_addr + 12, sizeof inner);
    return text_of(inner);
  }
  std::array<char, INET6_ADDRSTRLEN> text{};
  return inet_ntop(AF_INET6, &address, text.data(), text.size());
}

std::string plain_host(std::string_view host) {
  auto text = lower(host);
  while (!text.empty() && text.back() == '.')
    text.pop_back();
  if (in_addr four{}; inet_aton(text.c_str(), &four) == 1)
    return text_of(four);
  if (in6_addr six{}; inet_pton(AF_INET6, text.c_str(), &six) == 1)
    return text_of(six);
  return text == "localhost" || text.ends_with(".localhost") ? std::string{loopback} : text;
}

std::string plain_port(std::string_view port, std::string_view scheme) {
  std::uint16_t number = 0;
  const auto [end, failed] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (port.empty())
    return core::equal_without_case(scheme, "https") ? "443" : "80";
  return failed == std::errc{} && end == port.data() + port.size() ? std::to_string(number) : lower(port);
}

} // namespace

std::string address_key(std::string_view address) {
  const auto parts = split_place(address);
  if (core::is_native_address(address))
    return std::string{address};
  const auto [host, port] = split_authority(parts.authority);
  auto key = plain_host(host) + '|' + plain_port(port, parts.scheme);
  const auto base = key.size();
  for (const char c : parts.rest.substr(0, parts.rest.find_first_of("?#")))
    if (c != '/' || key.back() != '/')
      key += core::ascii_lower(c);
  while (key.size() > base && key.back() == '/')
    key.pop_back();
  return key;
}

std::string host_key(std::string_view address) { return plain_host(split_authority(split_place(address).authority).host); }

std::string_view incomparable_part(std::string_view address) noexcept {
  const auto parts = split_place(address);
  if (parts.authority.find('@') != std::string_view::npos)
    return "credentials";
  const auto is_plain = [](char c) {
    constexpr std::string_view marks = "/-_.~";
    const char letter = core::ascii_lower(c);
    return (letter >= 'a' && letter <= 'z') || (c >= '0' && c <= '9') || marks.find(c) != std::string_view::npos;
  };
  if (!std::all_of(parts.rest.begin(), parts.rest.end(), is_plain))
    return "a path with special characters";
  const auto segments = parts.rest;
  const auto has_segment = [segments](std::string_view dots) {
    for (auto at = segments.find(dots); at != std::string_view::npos; at = segments.find(dots, at + 1)) {
      const auto end = at + dots.size();
      if (end == segments.size() || segments[end] == '/')
        return true;
    }
    return false;
  };
  return has_segment("/.") || has_segment("/..") ? "a path with dot segments" : std::string_view{};
}

} // namespace ringmaster::protocol
