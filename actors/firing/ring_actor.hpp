#pragma once

#include <optional>

#include "core/schedule/firing_heap.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Actor that keeps this node's claimed runs until shortly before their instant, in one heap with one CAF timer for its top. Its
/// state need not survive a crash, since the store knows every claim. A run's instant is converted to the time of the actor's own
/// clock on arrival, so a later step of the civil clock has no effect.
class ring_actor_state {
public:
  static inline const char* name = "ringmaster.ring_actor";

  /// `ahead`: time before the instant at which runs are handed over, so that at the instant only their sockets have to be
  /// written. The transport holds them until then.
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
  /// Time of the pending tick; empty if none is pending.
  std::optional<protocol::wall_clock::steady> armed_;
};

} // namespace ringmaster::actors
