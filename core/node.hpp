#pragma once

// Nodes as the store knows them, and the slots they share.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringmaster::core {

enum class node_state : std::uint8_t { up, fenced, down };

/// One row of `rm_node`.
struct node_row {
  std::string id;
  std::int64_t incarnation = 0;
  std::int64_t beat = 0;
  node_state state = node_state::down;
  std::string address;
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
