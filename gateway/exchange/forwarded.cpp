#include "gateway/exchange/forwarded.hpp"

#include <algorithm>
#include <utility>

#include <arpa/inet.h>

#include "core/text/ascii_case.hpp"
#include "core/text/network_text.hpp"
#include "core/text/text.hpp"

namespace ringmaster::gateway {

namespace {

using bytes16 = std::array<std::uint8_t, 16>;

constexpr bytes16 v4_in_v6{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0};
constexpr unsigned v4_prefix = 96;
/// Maximum length of an address.
constexpr std::size_t address_bytes_max = INET6_ADDRSTRLEN;

std::optional<bytes16> parse(std::string_view text) {
  if (text.size() >= address_bytes_max)
    return std::nullopt;
  const std::string terminated{text};
  auto bytes = v4_in_v6;
  if (inet_pton(AF_INET, terminated.c_str(), bytes.data() + v4_prefix / 8) == 1 ||
      inet_pton(AF_INET6, terminated.c_str(), bytes.data()) == 1)
    return bytes;
  return std::nullopt;
}

bool is_v4(const bytes16& bytes) noexcept { return std::equal(bytes.begin(), bytes.begin() + v4_prefix / 8, v4_in_v6.begin()); }

std::string text_of(const bytes16& bytes) {
  char text[INET6_ADDRSTRLEN] = "";
  if (is_v4(bytes))
    inet_ntop(AF_INET, bytes.data() + v4_prefix / 8, text, sizeof text);
  else
    inet_ntop(AF_INET6, bytes.data(), text, sizeof text);
  return text;
}

bool is_loopback(const bytes16& bytes) noexcept {
  constexpr bytes16 v6_loopback{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  return bytes == v6_loopback || (is_v4(bytes) && bytes[v4_prefix / 8] == 127);
}

bool begins_alike(const bytes16& a, const bytes16& b, unsigned bits) noexcept {
  const auto whole = bits / 8;
  if (!std::equal(a.begin(), a.begin() + whole, b.begin()))
    return false;
  const auto rest = bits % 8;
  return rest == 0 || ((a[whole] ^ b[whole]) >> (8 - rest)) == 0;
}

/// Returns the item after the last comma and removes it and the comma from the list.
std::string_view take_last(std::string_view& list) {
  const auto comma = list.rfind(',');
  const auto last = list.substr(comma == std::string_view::npos ? 0 : comma + 1);
  list = list.substr(0, comma == std::string_view::npos ? 0 : comma);
  return core::trimmed(last);
}

/// Returns the value of the last header with that name.
std::string_view last_value(const protocol::http_request& request, std::string_view name) {
  for (auto header = request.headers.rbegin(); header != request.headers.rend(); ++header)
    if (core::equal_without_case(header->first, name)) {
      std::string_view list{header->second};
      return take_last(list);
    }
  return {};
}

void take_client(protocol::http_request& request, const std::string& address) {
  request.remote_address = address;
  const auto bytes = parse(address);
  request.remote_is_loopback = bytes && is_loopback(*bytes);
}

/// Finds the client from the right: each proxy appends the peer that it saw.
void find_client(protocol::http_request& request, const proxy_list& proxies) {
  for (auto header = request.headers.rbegin(); header != request.headers.rend(); ++header) {
    if (!core::equal_without_case(header->first, "X-Forwarded-For"))
      continue;
    for (std::string_view list{header->second}; !list.empty();) {
      const auto address = forwarded_address(take_last(list));
      if (!address)
        return;
      take_client(request, *address);
      if (!proxies.trusts(*address))
        return;
    }
  }
}

} // namespace

proxy_list::proxy_list(const std::vector<std::string>& networks) {
  for (const auto& text : networks) {
    const auto parts = core::split_network(text);
    const auto bytes = parts ? parse(parts->address) : std::nullopt;
    if (bytes)
      networks_.push_back({*bytes, parts->v6 ? parts->prefix : v4_prefix + parts->prefix});
  }
}

bool proxy_list::trusts(std::string_view address) const {
  const auto bytes = parse(address);
  return bytes && std::any_of(networks_.begin(), networks_.end(), [&bytes](const network& each) {
           return begins_alike(each.address, *bytes, each.prefix);
         });
}

std::optional<std::string> forwarded_address(std::string_view entry) {
  auto address = core::trimmed(entry);
  std::string_view port;
  if (address.starts_with('[')) {
    const auto close = address.find(']');
    if (close == std::string_view::npos)
      return std::nullopt;
    port = address.substr(close + 1);
    address = address.substr(1, close - 1);
    if (address.find(':') == std::string_view::npos)
      return std::nullopt;
  } else if (const auto colon = address.find(':'); colon != std::string_view::npos && colon == address.rfind(':')) {
    port = address.substr(colon);
    address = address.substr(0, colon);
  }
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!port.empty() && (port.front() != ':' || port.size() > 6 || !std::all_of(port.begin() + 1, port.end(), is_digit)))
    return std::nullopt;
  const auto bytes = parse(address);
  return bytes ? std::optional{text_of(*bytes)} : std::nullopt;
}

void apply_forwarded_headers(protocol::http_request& request, const proxy_list& proxies) {
  if (proxies.empty() || !proxies.trusts(request.remote_address))
    return;
  find_client(request, proxies);
  if (const auto scheme = last_value(request, "X-Forwarded-Proto"); !scheme.empty())
    request.is_https = core::equal_without_case(scheme, "https");
  request.forwarded_host = last_value(request, "X-Forwarded-Host");
}

} // namespace ringmaster::gateway
