#pragma once

#include <map>
#include <string>
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

/// Waiting runs by a time of each.
using runs_by_time = std::multimap<protocol::wall_clock::steady, waiting_run>;

/// Returns the runs in the order of their times.
[[nodiscard]] std::vector<waiting_run> runs_of(runs_by_time&& waiting);

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

/// Returns the runs in one message for each listener.
[[nodiscard]] std::vector<protocol::send_batch> to_batches(std::vector<waiting_run>&& runs);

/// Returns runs that the link `self` will not send to the pool, which chooses another link of the address.
template <class Self>
void hand_back(Self self, const protocol::trigger_pool& pool, const std::string& address, std::vector<waiting_run>&& runs) {
  for (auto& batch : to_batches(std::move(runs)))
    protocol::send(self, pool,
                   protocol::returned_runs{address, std::move(batch), caf::actor_cast<protocol::executor_link>(self)});
}

} // namespace ringmaster::actors
