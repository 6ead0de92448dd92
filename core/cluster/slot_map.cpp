#include "core/cluster/slot_map.hpp"

#include <string_view>

namespace ringmaster::core {

namespace {

// Nodes of two releases must agree on these numbers: never change them (slot_map_test holds samples).
std::uint64_t hash_of(std::string_view text) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325; // FNV-1a
  for (unsigned char byte : text)
    hash = (hash ^ byte) * 0x100000001b3;
  return hash;
}

/// Returns the bid of `node_hash` for `slot`. Uses the finalizer of SplitMix64: FNV alone would assign neighbouring slots to one
/// node.
std::uint64_t bid(std::uint64_t node_hash, std::size_t slot) noexcept {
  auto mixed = node_hash + (slot + 1) * 0x9e3779b97f4a7c15;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

} // namespace

slot_set slots_of(const std::string& self, std::span<const std::string> live) {
  slot_set mine;
  bool self_lives = false;
  for (const auto& node : live)
    self_lives = self_lives || node == self;
  if (!self_lives)
    return mine;
  mine.set();
  const auto own = hash_of(self);
  for (const auto& node : live) {
    if (node == self)
      continue;
    const auto other = hash_of(node);
    for (std::size_t slot = 0; slot < slot_count; ++slot) {
      const auto theirs = bid(other, slot), ours = bid(own, slot);
      if (theirs > ours || (theirs == ours && node > self))
        mine.reset(slot);
    }
  }
  return mine;
}

std::vector<std::size_t> slot_counts(std::span<const std::string> live) {
  std::vector<std::size_t> counts(live.size());
  std::vector<std::uint64_t> hashes;
  for (const auto& node : live)
    hashes.push_back(hash_of(node));
  for (std::size_t slot = 0; slot < slot_count && !live.empty(); ++slot) {
    std::size_t owner = 0;
    for (std::size_t other = 1; other < live.size(); ++other) {
      const auto theirs = bid(hashes[other], slot), ours = bid(hashes[owner], slot);
      if (theirs > ours || (theirs == ours && live[other] > live[owner]))
        owner = other;
    }
    ++counts[owner];
  }
  return counts;
}

} // namespace ringmaster::core
