#pragma once

#include <optional>

#include "core/schedule/firing_heap.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Keeps this node's claimed runs until shortly before their instant: one heap, and one timer of CAF's for its top. Nothing here
/// has to survive a crash, since the store knows every claim. A run's instant is turned into time of the actor's own clock when
/// it comes, so a civil clock that steps later moves nothing.
class ring_actor_state {
public:
  static inline const char* name = "ringmaster.ring_actor";

  /// Runs are handed over `ahead` of their instant, so that nothing is left to do at the instant but to write them to their
  /// sockets; the transport holds them until then.
  ring_actor_state(protocol::ring_actor::pointer self, protocol::trigger_pool pool, core::milliseconds ahead,
                   protocol::wall_clock clock);
  protocol::ring_actor::behavior_type make_behavior();

private:
  void hold(protocol::firing_batch&& batch);
  void forget();
  void fire_due();
  void arm();

  protocol::ring_actor::pointer self_;
  protocol::trigger_pool pool_;
  core::milliseconds ahead_;
  protocol::wall_clock clock_;
  core::firing_heap<core::claimed_run, protocol::wall_clock::steady> heap_;
  /// When the pending tick comes; nothing when none is pending.
  std::optional<protocol::wall_clock::steady> armed_;
};

} // namespace ringmaster::actors
