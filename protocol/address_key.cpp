#include "protocol/address_key.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstdint>
#include <cstring>

#include "core/text/ascii_case.hpp"
#include "core/text/native_address.hpp"
#include "core/text/text.hpp"
#include "core/text/url_text.hpp"

namespace ringmaster::protocol {

namespace {

constexpr std::string_view loopback = "127.0.0.1";

/// Host and port of an address, without an account.
core::host_port place_of(const core::url_parts& url) noexcept {
  return core::split_host_port(core::split_authority(url.authority).place);
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
  if (port.empty())
    return core::equal_without_case(scheme, "https") ? "443" : "80";
  const auto number = core::parse_port(port);
  return number ? std::to_string(*number) : lower(port);
}

} // namespace

std::string address_key(std::string_view address) {
  const auto url = core::split_url(core::trimmed(address));
  if (core::is_native_address(address))
    return std::string{address};
  const auto place = place_of(url);
  auto key = plain_host(place.host) + '|' + plain_port(place.port.value_or(""), url.scheme.value_or("http"));
  const auto base = key.size();
  for (const char c : url.path)
    if (c != '/' || key.back() != '/')
      key += core::ascii_lower(c);
  while (key.size() > base && key.back() == '/')
    key.pop_back();
  return key;
}

std::string host_key(std::string_view address) { return plain_host(place_of(core::split_url(core::trimmed(address))).host); }

std::string_view incomparable_part(std::string_view address) noexcept {
  const auto url = core::split_url(core::trimmed(address));
  if (core::split_authority(url.authority).account)
    return "credentials";
  const auto is_plain = [](char c) {
    constexpr std::string_view marks = "/-_.~";
    const char letter = core::ascii_lower(c);
    return (letter >= 'a' && letter <= 'z') || (c >= '0' && c <= '9') || marks.find(c) != std::string_view::npos;
  };
  if (!url.tail.empty() || !std::all_of(url.path.begin(), url.path.end(), is_plain))
    return "a path with special characters";
  const auto segments = url.path;
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
