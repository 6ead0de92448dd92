#pragma once

// The orderly stop of a node.

#include <utility>
#include <vector>

#include "core/result.hpp"
#include "protocol/caf.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

/// Progress of a node's stop, and the callers that wait for its end. Invariant: a stop that has begun is never undone, each
/// caller is answered once, and none waits after the end. Part of the state of node_actor.
class orderly_stop {
public:
  using waiter = caf::typed_response_promise<void>;

  [[nodiscard]] bool has_begun() const noexcept { return has_begun_; }
  [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }

  /// Adds a caller. Returns true if the stop begins with it.
  [[nodiscard]] bool begin(waiter caller) {
    waiters_.push_back(std::move(caller));
    return !std::exchange(has_begun_, true);
  }

  /// Ends the stop and answers all callers.
  void end(const core::result<void>& outcome) {
    has_ended_ = true;
    for (auto& caller : std::exchange(waiters_, {})) {
      if (outcome)
        caller.deliver();
      else
        caller.deliver(protocol::to_caf(outcome.error()));
    }
  }

private:
  bool has_begun_ = false;
  bool has_ended_ = false;
  std::vector<waiter> waiters_;
};

} // namespace ringmaster::actors
