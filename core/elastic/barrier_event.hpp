#pragma once

// The effects of an item's decisions on the barriers of fires: spec §12.2, elastic design §4.

#include <vector>

#include "core/elastic/fire_machine.hpp"
#include "core/elastic/item_actions.hpp"
#include "core/elastic/item_machine.hpp"

namespace ringmaster::core::elastic {

/// An event for the barriers of one fire.
struct barrier_event {
  fire_key fire;
  fire_machine_event what;
};

/// The item before the event that was decided.
struct item_before {
  item_number item{};
  host_process host;
  /// Cause of the open or coming run.
  run_cause cause;
  /// The item was `granting` or `wanted`: its run had not begun.
  bool had_no_run = false;
};

/// Returns the events of a decision, in their order. A fire without a machine, because it has no once-listeners or is done,
/// ignores them. Hooks are not participants: an end of the items -1 and -2 that no other run repeats is `fire_event::hook_ended`.
/// `after`: the item with the decision. A request that waits has no row that would change: its wait and the end of that are seen
/// there.
[[nodiscard]] std::vector<barrier_event> barrier_events(const item_before& before, const item_decision& decision,
                                                        const item& after);

} // namespace ringmaster::core::elastic
