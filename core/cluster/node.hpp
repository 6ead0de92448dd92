#pragma once

// Nodes as the store knows them, and the slots they share.

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
  /// Names the process that lives this life, among those of all machines that run now; empty: not known.
  std::string process{};
  /// What the node's wall clock said when it sent this beat; the epoch: unknown.
  time_point wall{};
};

/// Of a life of a node that begins.
struct entry_terms {
  /// As in `node_row`.
  std::string process{};
  /// The node's row as it was read, or a row with incarnation 0 where there was none: a row that has changed since refuses the
  /// entry. Nothing: the entry ends any life that there is.
  std::optional<node_row> replaces{};
  /// The number of the new life lies above this one.
  std::int64_t above = 0;

  /// Whether the row is still as it was read.
  [[nodiscard]] bool admits(std::int64_t incarnation, std::int64_t beat, node_state state) const noexcept {
    return !replaces || (replaces->incarnation == incarnation
                         && (incarnation == 0 || (replaces->beat == beat && replaces->state == state)));
  }
};

/// All nodes, and what the same read says of the database itself.
struct cluster_view {
  std::vector<node_row> nodes;
  /// The database server's clock; nothing: the database has none of its own (SQLite).
  std::optional<time_point> clock;
  /// The highest committed revision of an edit. It never falls, unless the database was restored or rolled back.
  std::int64_t revision = 0;
};

/// How a node looks to one of the cluster.
enum class node_health : std::uint8_t {
  /// It beats.
  alive,
  /// It beats, and is about to stop; only the node itself knows.
  draining,
  /// It was fenced, or has not beaten for so long that it is about to be.
  dead,
  /// It said that it leaves.
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

/// A node as another one, or itself, saw it last.
struct seen_node {
  node_row row;
  node_health health = node_health::stopped;
  /// How long its beat has stood still in the eyes of who looks; nothing: it does not beat any more.
  std::optional<std::chrono::milliseconds> silent_for;
  /// It is who looks.
  bool self = false;
};

} // namespace ringmaster::core
