#pragma once

// Nodes as the store knows them.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.hpp"

namespace ringmaster::core {

enum class node_state : std::uint8_t { up, fenced, down };

/// One row of `rm_node`.
struct node_row {
  std::string id;
  std::int64_t incarnation = 0;
  std::int64_t beat = 0;
  node_state state = node_state::down;
  std::string address;
  /// Identifies the process of this incarnation among all running processes of all machines; empty: unknown.
  std::string process{};
  /// Wall clock of the node when it sent this heartbeat; the epoch: unknown.
  time_point wall{};
  /// The node has a share of the slots while it is up. False: it has just entered and loads its jobs, or it is about to leave.
  bool serves = true;
};

/// Conditions under which a new incarnation of a node enters the cluster.
struct entry_terms {
  /// As in `node_row`.
  std::string process{};
  /// The node's row as it was read, or a row with incarnation 0 if there was none. A row that has changed since then refuses the
  /// entry. Unset: the entry ends any existing incarnation.
  std::optional<node_row> replaces{};
  /// Lower bound (exclusive) of the number of the new incarnation.
  std::int64_t above = 0;
  /// As in `node_row`.
  bool serves = true;

  /// Returns true if the row is unchanged since it was read.
  [[nodiscard]] bool admits(std::int64_t incarnation, std::int64_t beat, node_state state) const noexcept {
    return !replaces || (replaces->incarnation == incarnation
                         && (incarnation == 0 || (replaces->beat == beat && replaces->state == state)));
  }
};

/// All nodes, and the database's own state from the same read.
struct cluster_view {
  std::vector<node_row> nodes;
  /// The database server's clock; unset if the database has none of its own (SQLite).
  std::optional<time_point> clock;
  /// The highest committed revision of an edit. It never decreases, unless the database was restored or rolled back.
  std::int64_t revision = 0;
};

/// Health of a node as another node sees it.
enum class node_health : std::uint8_t {
  /// Sends heartbeats.
  alive,
  /// Sends heartbeats and is about to stop; only the node itself knows.
  draining,
  /// Was fenced, or has been silent for so long that it is about to be fenced.
  dead,
  /// Announced that it leaves.
  stopped
};

/// `alive`, `draining`, `dead`, `stopped`.
[[nodiscard]] constexpr std::string_view shown_name(node_health health) noexcept {
  switch (health) {
  case node_health::alive: return "alive";
  case node_health::draining: return "draining";
  case node_health::dead: return "dead";
  case node_health::stopped: break;
  }
  return "stopped";
}

/// A node as it was last seen by another node or by itself.
struct seen_node {
  node_row row;
  node_health health = node_health::stopped;
  /// Time since the observer last saw a new heartbeat; unset if the node does not send any more.
  std::optional<std::chrono::milliseconds> silent_for;
  /// True if the node is the observer itself.
  bool self = false;
  /// Number of slots that the node plans; unset: unknown.
  std::optional<std::size_t> slots = {};
  /// When the node's process began; unset: unknown, as for every node but the observer.
  std::optional<time_point> started = {};
};

} // namespace ringmaster::core
