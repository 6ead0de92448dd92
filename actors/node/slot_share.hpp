#pragma once

// The slots of this node.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "actors/metrics.hpp"
#include "core/cluster/slot_map.hpp"

namespace ringmaster::actors {

/// This node's share of the slots. Invariant: the share is unset from the end of an incarnation until the next one sees the
/// nodes, so that the first share of an incarnation is a change; the metric shows its size. Part of the state of node_actor.
class slot_share {
public:
  /// `served`: metric of the number of slots.
  slot_share(std::string node, caf::telemetry::int_gauge* served) : node_{std::move(node)}, served_{served} {}

  /// Spreads the slots over the nodes that are up. Returns this node's share if it has changed.
  [[nodiscard]] std::optional<core::slot_set> spread(std::span<const std::string> live) {
    auto slots = core::slots_of(node_, live);
    if (slots_ == slots)
      return std::nullopt;
    slots_ = slots;
    served_->value(static_cast<std::int64_t>(slots.count()));
    return slots_;
  }

  [[nodiscard]] bool is_known() const noexcept { return slots_.has_value(); }

  /// Gives the share up with the incarnation.
  void end() {
    slots_.reset();
    served_->value(0);
  }

private:
  std::string node_;
  std::optional<core::slot_set> slots_;
  caf::telemetry::int_gauge* served_;
};

} // namespace ringmaster::actors
