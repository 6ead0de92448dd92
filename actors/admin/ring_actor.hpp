#pragma once

#include <optional>

#include "core/firing_heap.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Fires at the millisecond. Owns the heap of this node and one CAF timer, the earliest. May die with the process: what it holds
/// is claimed in the store. Time: the actor's clock plus an injected offset to civil time.
class ring_actor_state {
public:
  static inline const char* name = "ringmaster.ring_actor";

  ring_actor_state(protocol::ring_actor::pointer self, protocol::trigger_pool pool, protocol::wall_clock clock);
  protocol::ring_actor::behavior_type make_behavior();

private:
  void hold(protocol::firing_batch&& batch);
  void forget();
  void fire_due();
  void arm();

  protocol::ring_actor::pointer self_;
  protocol::trigger_pool pool_;
  protocol::wall_clock clock_;
  core::firing_heap<core::claimed_run> heap_;
  /// When the pending tick comes; nothing when none is pending.
  std::optional<core::time_point> armed_;
};

} // namespace ringmaster::actors
