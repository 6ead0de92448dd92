#pragma once

// The hash of Java's strings, from which ElasticJob's strategies derive the order of the hosts of a job (EJ §7.4).

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ringmaster::core::elastic {

/// Returns Java's `String.hashCode` of a text in UTF-8: h = 31·h + unit over its UTF-16 units, in 32 bits that wrap around.
/// A byte that does not belong to valid UTF-8 counts as U+FFFD.
[[nodiscard]] std::int32_t java_hash(std::string_view utf8) noexcept;

/// Returns Java's `hash % 2 == 0`. A negative odd hash is odd, although its remainder in Java is -1.
[[nodiscard]] constexpr bool is_even_hash(std::int32_t hash) noexcept { return hash % 2 == 0; }

/// Returns |hash| mod `count`, a position below `count`. The absolute value has 64 bits: Java's `Math.abs` leaves -2147483648
/// negative, for which ElasticJob computes an invalid index. 0 if `count` is 0.
[[nodiscard]] constexpr std::size_t hash_offset(std::int32_t hash, std::size_t count) noexcept {
  const std::int64_t wide = hash;
  return count == 0 ? 0 : static_cast<std::size_t>(wide < 0 ? -wide : wide) % count;
}

/// Returns the sum of two hashes in 32 bits that wrap around, as Java adds.
[[nodiscard]] constexpr std::int32_t add_hashes(std::int32_t left, std::int32_t right) noexcept {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(left) + static_cast<std::uint32_t>(right));
}

} // namespace ringmaster::core::elastic
