#include "gateway/notification/allowed_addresses.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "gateway/notification/notification.hpp"

namespace ringmaster::gateway {

namespace {

using bytes4 = std::array<std::uint8_t, 4>;
using bytes16 = std::array<std::uint8_t, 16>;

bool is_allowed(const bytes4& ip) noexcept {
  constexpr bytes4 alibaba_metadata{100, 100, 100, 200};
  constexpr bytes4 oracle_metadata{192, 0, 0, 192};
  constexpr bytes4 azure_wire_server{168, 63, 129, 16};
  const bool link_local = ip[0] == 169 && ip[1] == 254;
  const bool nowhere = ip[0] == 0 || ip[0] >= 224;
  return !link_local && !nowhere && ip != alibaba_metadata && ip != oracle_metadata && ip != azure_wire_server;
}

bool is_allowed(const bytes16& ip) noexcept {
  constexpr std::array<std::uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  constexpr std::array<std::uint8_t, 12> compatible{};
  constexpr std::array<std::uint8_t, 12> nat64{0, 0x64, 0xFF, 0x9B};
  constexpr bytes16 loopback{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  constexpr bytes16 aws_metadata{0xFD, 0, 0x0E, 0xC2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54};
  if (ip == loopback)
    return true;
  for (const auto& prefix : {mapped, compatible, nat64})
    if (std::equal(prefix.begin(), prefix.end(), ip.begin()))
      return is_allowed(bytes4{ip[12], ip[13], ip[14], ip[15]});
  if (ip[0] == 0x20 && ip[1] == 0x02) // 6to4
    return is_allowed(bytes4{ip[2], ip[3], ip[4], ip[5]});
  const bool link_local = ip[0] == 0xFE && (ip[1] & 0xC0) == 0x80;
  return !link_local && ip[0] != 0xFF && ip != aws_metadata;
}

} // namespace

bool is_allowed_address(const sockaddr& address) noexcept {
  if (address.sa_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &address, sizeof in);
    bytes4 ip{};
    std::memcpy(ip.data(), &in.sin_addr, ip.size());
    return is_allowed(ip);
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 in{};
    std::memcpy(&in, &address, sizeof in);
    bytes16 ip{};
    std::memcpy(ip.data(), &in.sin6_addr, ip.size());
    return is_allowed(ip);
  }
  return false;
}

std::string text_of(const sockaddr& address) {
  std::array<char, INET6_ADDRSTRLEN> out{};
  sockaddr_in in{};
  sockaddr_in6 in6{};
  if (address.sa_family == AF_INET)
    std::memcpy(&in, &address, sizeof in);
  else
    std::memcpy(&in6, &address, sizeof in6);
  const void* ip = address.sa_family == AF_INET ? static_cast<const void*>(&in.sin_addr) : &in6.sin6_addr;
  const char* text = inet_ntop(address.sa_family, ip, out.data(), out.size());
  return text ? text : "?";
}

bool is_allowed_address(std::string_view text) {
  const std::string ip{text};
  bytes4 four{};
  bytes16 sixteen{};
  if (inet_pton(AF_INET, ip.c_str(), four.data()) == 1)
    return is_allowed(four);
  return inet_pton(AF_INET6, ip.c_str(), sixteen.data()) == 1 && is_allowed(sixteen);
}

} // namespace ringmaster::gateway
