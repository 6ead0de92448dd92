#pragma once

#include <cstdint>
#include <optional>

#include "actors/trigger/run_router.hpp"
#include "actors/trigger/run_sender.hpp"
#include "actors/trigger/trigger_context.hpp"

namespace ringmaster::actors {

/// Actor that routes before the claim (`run_router`) and sends after it (`run_sender`). Has two lanes with bounded windows, of
/// which no executor can take all. A full window causes back-pressure (the firing stays due), never a drop.
///
/// A run holds its slot from its routing until its answer, so that claims never run ahead of sending. A run without an answer
/// holds it until recovery has room for it, so that claims never run ahead of recovery either.
///
/// Both halves are one actor because they own the same lanes and links: a slot that sending frees is there for the next route at
/// once. Between two actors each slot and each probe would be a message, and the counts of the lanes out of date.
class trigger_pool_state {
public:
  static inline const char* name = "ringmaster.trigger_pool";

  trigger_pool_state(protocol::trigger_pool::pointer self, protocol::storage_actor storage, link_tools tools,
                     core::milliseconds misfire_after, std::uint64_t random_seed, protocol::wall_clock clock, logger log);
  protocol::trigger_pool::behavior_type make_behavior();

private:
  using steady = trigger_context::steady;

  [[nodiscard]] caf::result<protocol::link_handle> find_link(const protocol::link_query& query);
  void change_registry(const protocol::registry_change& change);
  void tick();
  void arm();

  trigger_context context_;
  run_sender sender_;
  run_router router_;
  steady next_sweep_;
  std::optional<steady> armed_;
};

} // namespace ringmaster::actors
