#pragma once

// MD5 (RFC 1321), because XXL's consistent hash and its stored passwords are made of it. Never for anything new.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace ringmaster::core {

using md5_digest = std::array<std::uint8_t, 16>;

[[nodiscard]] md5_digest md5(std::string_view bytes);

/// 32 lower-case hexadecimal digits, as XXL stores a password.
[[nodiscard]] std::string md5_hex(std::string_view bytes);

} // namespace ringmaster::core
