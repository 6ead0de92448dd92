#include "core/routing/consistent_ring.hpp"

#include <algorithm>

#include "core/routing/routing.hpp"
#include "core/text/md5.hpp"

namespace ringmaster::core {

namespace {

constexpr int virtual_nodes = 100;

} // namespace

consistent_ring::consistent_ring(std::span<const std::string> addresses) {
  points_.reserve(addresses.size() * virtual_nodes);
  for (std::uint32_t index = 0; index < addresses.size(); ++index) {
    const auto prefix = "SHARD-" + addresses[index] + "-NODE-";
    for (int node = 0; node < virtual_nodes; ++node)
      points_.emplace_back(consistent_hash(prefix + std::to_string(node)), index);
  }
  std::sort(points_.begin(), points_.end());
  // Among equal hashes the later address in the list is kept.
  const auto same_hash = [](const auto& a, const auto& b) { return a.first == b.first; };
  points_.erase(points_.begin(), std::unique(points_.rbegin(), points_.rend(), same_hash).base());
}

std::size_t consistent_ring::choose(job_id which) const {
  const auto hash = consistent_hash(std::to_string(number(which)));
  const auto found = std::lower_bound(points_.begin(), points_.end(), hash,
                                      [](const auto& point, std::uint32_t h) { return point.first < h; });
  return (found == points_.end() ? points_.front() : *found).second;
}

bool consistent_ring_cache::list_order::operator()(list a, list b) const {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

std::size_t consistent_ring_cache::choose(job_id which, std::span<const std::string> addresses) {
  if (const auto known = rings_.find(addresses); known != rings_.end())
    return known->second.choose(which);
  consistent_ring ring{addresses};
  if (points_ + ring.size() > points_max) {
    rings_.clear();
    points_ = 0;
  }
  points_ += ring.size();
  const auto chosen = ring.choose(which);
  rings_.emplace(std::vector<std::string>{addresses.begin(), addresses.end()}, std::move(ring));
  return chosen;
}

std::uint32_t consistent_hash(std::string_view text) {
  const auto digest = md5(text);
  return digest[0] | std::uint32_t{digest[1]} << 8 | std::uint32_t{digest[2]} << 16 | std::uint32_t{digest[3]} << 24;
}

const std::string& consistent_hash_choice(job_id which, std::span<const std::string> addresses) {
  return addresses[consistent_ring{addresses}.choose(which)];
}

} // namespace ringmaster::core
