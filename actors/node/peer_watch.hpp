#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/cluster/node.hpp"

namespace ringmaster::actors {

/// Observation of the other nodes' heartbeats by one node (firing protocol §9). Only the observer's own CLOCK_BOOTTIME counts: a
/// peer is dead when its (incarnation, beat) did not change for `dead_after` of that clock. Pure state of one actor.
class peer_watch {
public:
  peer_watch(std::string self, std::chrono::nanoseconds dead_after);

  /// Takes the rows of one read, whose answer came at `now_ns`. If the observer itself was silent for longer than `dead_after`,
  /// all peers start again, because no beat could be seen.
  void observe(std::span<const core::node_row> rows, std::int64_t now_ns);

  /// Returns this node and all others in state `up` that are not seen dead, in id order.
  [[nodiscard]] std::vector<std::string> live() const;

  /// Returns the others of these nodes that have slots, in id order.
  [[nodiscard]] std::vector<std::string> serving() const;

  /// Returns the other nodes in state `up` that are seen dead, as last read.
  [[nodiscard]] std::vector<core::node_row> dead() const;

  /// Returns the dead nodes that are not being fenced, and notes that they are until `end_fencing`, so that at most one request
  /// fences a node.
  [[nodiscard]] std::vector<core::node_row> begin_fencing();
  void end_fencing(const std::string& node) { fencing_.erase(node); }

  /// Returns the time from `now_ns` until the first live node is seen dead if it does not beat meanwhile; empty: there is none.
  [[nodiscard]] std::optional<std::int64_t> next_death(std::int64_t now_ns) const;

  /// Returns all other nodes as seen at `now_ns`, in id order.
  [[nodiscard]] std::vector<core::seen_node> seen(std::int64_t now_ns) const;

  /// Returns true if no other node is in state `up`.
  [[nodiscard]] bool alone() const noexcept;

private:
  struct sighting {
    core::node_row row;
    /// Time at which this (incarnation, beat) was first seen.
    std::int64_t since_ns = 0;
  };
  [[nodiscard]] bool is_dead(const sighting& seen) const noexcept;

  std::string self_;
  std::int64_t dead_after_ns_;
  std::int64_t observed_ns_ = 0;
  /// Other nodes in state `up`.
  std::map<std::string, sighting> peers_;
  /// Other nodes that were fenced or said that they leave.
  std::vector<core::node_row> ended_;
  /// Dead nodes that this node is fencing.
  std::set<std::string> fencing_;
};

} // namespace ringmaster::actors
