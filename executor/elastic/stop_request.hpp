#pragma once

#include "actors/executor/bodies.hpp"
#include "executor/elastic/fence_board.hpp"

namespace ringmaster::executor::elastic {

/// Way in which a body ends.
enum class stop_way : std::uint8_t {
  /// A program gets TERM and time.
  in_time,
  /// A program is killed.
  at_once,
};

/// Requests the stop of a body on a thread of its own, because the stop callbacks of bodies may block; without a thread it calls
/// them here. `control`: not null.
inline void request_stop(const item_control_ptr& control, stop_way how, actors::body_threads& threads) {
  const auto request = [control, how] { how == stop_way::at_once ? control->request_kill() : control->request_stop(); };
  if (!threads.start(request))
    request();
}

} // namespace ringmaster::executor::elastic
