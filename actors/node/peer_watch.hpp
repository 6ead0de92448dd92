#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/cluster/node.hpp"

namespace ringmaster::actors {

/// What one node has seen of the others' beats (firing protocol §9). No clock but the observer's own CLOCK_BOOTTIME counts: a
/// peer is dead when its (incarnation, beat) did not change for `dead_after` of that clock. Pure state of one actor.
class peer_watch {
public:
  peer_watch(std::string self, std::chrono::nanoseconds dead_after);

  /// Takes the rows of one read whose answer came at `now_ns`. After a silence of the observer itself that was longer than
  /// `dead_after` everybody starts anew: nobody could have been seen beating.
  void observe(std::span<const core::node_row> rows, std::int64_t now_ns);

  /// Self, and every other node in state `up` that is not seen dead. In id order.
  [[nodiscard]] std::vector<std::string> live() const;

  /// Other nodes in state `up` that are seen dead, as last read.
  [[nodiscard]] std::vector<core::node_row> dead() const;

  /// How long from `now_ns` until a node that does not beat meanwhile is seen dead, the first of all that are not; nothing: there
  /// is none.
  [[nodiscard]] std::optional<std::int64_t> next_death(std::int64_t now_ns) const;

  /// All other nodes as they look at `now_ns`, in id order.
  [[nodiscard]] std::vector<core::seen_node> seen(std::int64_t now_ns) const;

  /// No other node is in state `up`.
  [[nodiscard]] bool alone() const noexcept;

private:
  struct sighting {
    core::node_row row;
    /// When this (incarnation, beat) was first seen.
    std::int64_t since_ns = 0;
  };
  [[nodiscard]] bool is_dead(const sighting& seen) const noexcept;

  std::string self_;
  std::int64_t dead_after_ns_;
  std::int64_t observed_ns_ = 0;
  /// Others in state `up`.
  std::map<std::string, sighting> peers_;
  /// Others that were fenced or said that they leave.
  std::vector<core::node_row> ended_;
};

} // namespace ringmaster::actors
