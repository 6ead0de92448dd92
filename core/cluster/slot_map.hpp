#pragma once

// 256 slots (job id mod 256), spread over the live nodes by rendezvous hashing. Slots only avoid contention; compare-and-set
// ensures that an instant is planned once.

#include <bitset>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/ids.hpp"

namespace ringmaster::core {

inline constexpr std::size_t slot_count = 256;
using slot_set = std::bitset<slot_count>;

[[nodiscard]] constexpr std::size_t slot_of(job_id job) noexcept {
  return static_cast<std::uint32_t>(number(job)) % slot_count;
}

/// Returns the slots of `self` when exactly `live` nodes are up. Every node computes the same answer from the same list in any
/// order. When a node enters or leaves, only its own share moves. Empty if `self` is not in `live`.
[[nodiscard]] slot_set slots_of(const std::string& self, std::span<const std::string> live);

/// Returns the number of slots of each node, in the order of `live`, which names no node twice.
[[nodiscard]] std::vector<std::size_t> slot_counts(std::span<const std::string> live);

} // namespace ringmaster::core
