#pragma once

#include "actors/executor/bodies.hpp"
#include "executor/elastic/fence_board.hpp"

namespace ringmaster::executor::elastic {

/// Requests the stop of a body on a thread of its own, because the stop callbacks of bodies may block; without a thread it calls
/// them here. `control`: not null.
inline void request_stop(const item_control_ptr& control, actors::body_threads& threads) {
  if (!threads.start([control] { control->request_stop(); }))
    control->request_stop();
}

} // namespace ringmaster::executor::elastic
