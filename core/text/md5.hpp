#pragma once

// MD5 (RFC 1321), which XXL's consistent hash is based on. Not for new uses.

#include <array>
#include <cstdint>
#include <string_view>

namespace ringmaster::core {

using md5_digest = std::array<std::uint8_t, 16>;

[[nodiscard]] md5_digest md5(std::string_view bytes);

} // namespace ringmaster::core
