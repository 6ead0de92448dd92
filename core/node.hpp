#pragma once

// Nodes as the store knows them, and the slots they share.

#include <cstdint>
#include <string>
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

} // namespace ringmaster::core
