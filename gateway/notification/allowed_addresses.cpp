#include "gateway/notification/allowed_addresses.hpp"

#include <array>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "core/text/ip_bytes.hpp"
#include "gateway/notification/notification.hpp"

namespace ringmaster::gateway {

namespace {

bool is_allowed(const core::ip4_bytes& ip) noexcept {
  const bool nowhere = ip[0] == 0 || ip[0] >= 224;
  return !nowhere && !core::is_link_local_or_metadata(ip);
}

bool is_allowed(const core::ip6_bytes& ip) noexcept {
  if (const auto inner = core::inner_ip4(ip))
    return is_allowed(*inner);
  const bool multicast = ip[0] == 0xFF;
  return !multicast && !core::is_link_local_or_metadata(ip);
}

} // namespace

bool is_allowed_address(const sockaddr& address) noexcept {
  if (address.sa_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &address, sizeof in);
    core::ip4_bytes ip{};
    std::memcpy(ip.data(), &in.sin_addr, ip.size());
    return is_allowed(ip);
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 in{};
    std::memcpy(&in, &address, sizeof in);
    core::ip6_bytes ip{};
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
  core::ip4_bytes four{};
  core::ip6_bytes sixteen{};
  if (inet_pton(AF_INET, ip.c_str(), four.data()) == 1)
    return is_allowed(four);
  return inet_pton(AF_INET6, ip.c_str(), sixteen.data()) == 1 && is_allowed(sixteen);
}

} // namespace ringmaster::gateway
