#pragma once

#include <string>
#include <utility>

#include "protocol/caf.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

/// The way to an executor that has no HTTP address, while it has no native link to this node: none. Runs are not sent, as to an
/// executor to which no connection comes about.
class absent_link_state {
public:
  static inline const char* name = "ringmaster.absent_link";

  absent_link_state(protocol::executor_link::pointer self, std::string address)
    : self_{self}, why_{"no native link of " + std::move(address) + " to this node"} {}

  protocol::executor_link::behavior_type make_behavior() {
    return {
      [this](protocol::send_batch& batch) { refuse(std::move(batch)); },
      [this](const protocol::probe_request&) { return protocol::probe_reply{0, why_}; },
      [this](const protocol::log_request&) { return protocol::log_reply{.error = why_}; },
      [this](const protocol::kill_request&) { return protocol::probe_reply{0, why_}; },
      [](const protocol::registry_change&) {},
      [](protocol::drain_inbox) {},
    };
  }

private:
  void refuse(protocol::send_batch&& batch) {
    protocol::send_results told;
    told.items.reserve(batch.runs.size());
    for (auto& run : batch.runs)
      told.items.push_back({.run = std::move(run), .state = protocol::send_state::not_sent, .code = 0, .message = why_,
                            .elapsed = {}, .sent_at = {}, .unreachable = true});
    protocol::send(self_, batch.listener, std::move(told));
  }

  protocol::executor_link::pointer self_;
  std::string why_;
};

} // namespace ringmaster::actors
