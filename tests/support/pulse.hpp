#pragma once

// A real pulse of a store, and a count of the calls that it saves.

#include <vector>
#include <map>
#include <string>

#include "actors/node/store_pulse.hpp"
#include "tests/support/faulty_store.hpp"
#include "tests/support/virtual_time.hpp"

namespace ringmaster::test {

/// Starts a pulse for one actor.
inline protocol::store_pulse start_pulse(virtual_time& world, const protocol::store_worker& worker,
                                         const protocol::pulse_listener& to, const core::node_incarnation& life) {
  auto pulse = world.spawn<actors::store_pulse_state, protocol::store_pulse>(worker, std::vector<protocol::pulse_listener>{to});
  world.tell(pulse, protocol::incarnation_change{life});
  world.run();
  return pulse;
}

/// Counts the calls of a store by method.
struct call_counter {
  explicit call_counter(faulty_store& store) {
    store.after = [this](std::string_view method) { ++calls[std::string{method}]; };
  }
  [[nodiscard]] int of(const std::string& method) const {
    const auto found = calls.find(method);
    return found == calls.end() ? 0 : found->second;
  }
  std::map<std::string, int> calls;
};

} // namespace ringmaster::test
