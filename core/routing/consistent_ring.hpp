#pragma once

// XXL's consistent hash (XXL admin §6.1): a ring of 100 virtual nodes per address. Used only by routing.

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/ids.hpp"

namespace ringmaster::core {

/// The ring of one list of addresses. Immutable.
class consistent_ring {
public:
  /// Builds the ring. Requires a non-empty list.
  explicit consistent_ring(std::span<const std::string> addresses);

  /// Returns the index of the address for a job.
  [[nodiscard]] std::size_t choose(job_id which) const;

  [[nodiscard]] std::size_t size() const noexcept { return points_.size(); }

private:
  /// (hash, index of the address), ascending, without duplicate hashes.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> points_;
};

/// Cache of rings by their list of addresses: a ring costs 100 MD5 sums an address, and lists rarely change. It clears all rings
/// when they have more than `points_max` points. Owned by one actor.
class consistent_ring_cache {
public:
  static constexpr std::size_t points_max = 200'000;

  /// Returns the index in `addresses`, which must not be empty.
  [[nodiscard]] std::size_t choose(job_id which, std::span<const std::string> addresses);

private:
  struct list_order {
    using is_transparent = void;
    using list = std::span<const std::string>;
    bool operator()(list a, list b) const;
  };

  std::map<std::vector<std::string>, consistent_ring, list_order> rings_;
  std::size_t points_ = 0;
};

} // namespace ringmaster::core
