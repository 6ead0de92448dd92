#pragma once

// XXL's consistent hash (XXL admin §6.1): a ring of 100 virtual nodes per address. Only routing needs it.

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
  /// Requires a non-empty list.
  explicit consistent_ring(std::span<const std::string> addresses);

  /// The index of the address that a job gets.
  [[nodiscard]] std::size_t choose(job_id which) const;

  [[nodiscard]] std::size_t size() const noexcept { return points_.size(); }

private:
  /// (hash, index of the address), ascending, each hash once.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> points_;
};

/// Rings by their list, because building one costs 100 MD5 sums an address and lists rarely change. Bounded: it forgets all
/// rings when they have grown beyond `points_max`. Owned by one actor.
class consistent_ring_cache {
public:
  static constexpr std::size_t points_max = 200'000;

  /// The index in `addresses`, which must not be empty.
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
