#pragma once

#include <utility>
#include <vector>

#include "core/run/run.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Run that a link has not sent yet.
struct waiting_run {
  core::claimed_run run;
  protocol::send_listener listener;
  /// Time of arrival.
  protocol::wall_clock::steady since{};
};

/// Results grouped by listener.
class result_groups {
public:
  void add(const protocol::send_listener& listener, protocol::send_result&& result);
  template <class Self>
  void tell(Self self) {
    for (auto& [listener, results] : groups_)
      protocol::send(self, listener, std::move(results));
    groups_.clear();
  }

private:
  std::vector<std::pair<protocol::send_listener, protocol::send_results>> groups_;
};

/// Returns the runs for another link, in one message for each listener.
[[nodiscard]] std::vector<protocol::send_batch> to_batches(std::vector<waiting_run>&& runs);

} // namespace ringmaster::actors
