#include "core/text/ip_bytes.hpp"

#include <algorithm>
#include <iterator>

namespace ringmaster::core {

std::optional<ip4_bytes> inner_ip4(const ip6_bytes& ip) noexcept {
  using prefix96 = std::array<std::uint8_t, 12>;
  constexpr prefix96 mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  constexpr prefix96 compatible{};
  constexpr prefix96 nat64{0, 0x64, 0xFF, 0x9B};
  constexpr ip6_bytes loopback{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  if (ip == loopback)
    return std::nullopt;
  for (const auto& prefix : {mapped, compatible, nat64})
    if (std::equal(prefix.begin(), prefix.end(), ip.begin()))
      return ip4_bytes{ip[12], ip[13], ip[14], ip[15]};
  if (ip[0] == 0x20 && ip[1] == 0x02) // 6to4
    return ip4_bytes{ip[2], ip[3], ip[4], ip[5]};
  return std::nullopt;
}

bool is_link_local_or_metadata(const ip4_bytes& ip) noexcept {
  constexpr ip4_bytes metadata[] = {{100, 100, 100, 200}, {192, 0, 0, 192}, {168, 63, 129, 16}}; // Alibaba, Oracle, Azure
  return (ip[0] == 169 && ip[1] == 254) || std::find(std::begin(metadata), std::end(metadata), ip) != std::end(metadata);
}

bool is_link_local_or_metadata(const ip6_bytes& ip) noexcept {
  constexpr ip6_bytes metadata[] = {
    {0xFD, 0, 0x0E, 0xC2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54},    // AWS, fd00:ec2::254
    {0xFD, 0x20, 0, 0xCE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54}, // Google, fd20:ce::254
  };
  if (const auto inner = inner_ip4(ip))
    return is_link_local_or_metadata(*inner);
  const bool link_local = ip[0] == 0xFE && (ip[1] & 0xC0) == 0x80;
  return link_local || std::find(std::begin(metadata), std::end(metadata), ip) != std::end(metadata);
}

} // namespace ringmaster::core
