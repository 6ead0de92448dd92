#include "actors/admin/completion_actor.hpp"

#include <utility>

#include "protocol/error.hpp"

namespace ringmaster::actors {

completion_actor_state::completion_actor_state(protocol::completion_actor::pointer self, protocol::storage_actor storage,
                                               protocol::schedule_actor schedule, std::chrono::milliseconds limit,
                                               logger log)
  : self_{self}, storage_{std::move(storage)}, schedule_{std::move(schedule)}, limit_{limit}, log_{std::move(log)} {}

protocol::completion_actor::behavior_type completion_actor_state::make_behavior() {
  return {
    [this](const protocol::sent_runs& sent) { remember(sent); },
    [this](protocol::callback_batch& batch) { return complete(std::move(batch)); },
    [this](protocol::intent_batch& batch) { pass_on(std::move(batch)); },
  };
}

void completion_actor_state::remember(const protocol::sent_runs& sent) {
  for (const auto& [run, job] : sent.items) {
    if (jobs_.insert_or_assign(run, job).second)
      order_.push_back(run);
    if (order_.size() > runs_max) {
      jobs_.erase(order_.front());
      order_.pop_front();
    }
  }
}

caf::result<protocol::callbacks_stored> completion_actor_state::complete(protocol::callback_batch&& batch) {
  if (batch.items.empty())
    return protocol::callbacks_stored{};
  if (waiting_ >= waiting_max)
    return protocol::to_caf({core::errc::too_large, "too many callbacks wait for the store"});
  std::vector<core::log_id> runs;
  runs.reserve(batch.items.size());
  for (auto& item : batch.items) {
    runs.push_back(item.id);
    if (auto found = jobs_.find(item.id); found != jobs_.end())
      item.spec = found->second;
  }
  ++waiting_;
  auto promise = self_->make_response_promise<protocol::callbacks_stored>();
  protocol::request(self_, storage_, limit_, std::move(batch))
    .then(
      [this, promise, runs = std::move(runs)](const protocol::callbacks_stored& stored) mutable {
        --waiting_;
        forget(runs);
        promise.deliver(stored);
      },
      [this, promise](const caf::error& reason) mutable {
        --waiting_;
        auto error = protocol::to_core(reason);
        log_->warn("callbacks not stored: {}: {}", core::to_string(error.code), error.context);
        promise.deliver(protocol::to_caf(error));
      });
  return promise;
}

void completion_actor_state::pass_on(protocol::intent_batch&& batch) { protocol::send(self_, schedule_, std::move(batch)); }

void completion_actor_state::forget(const std::vector<core::log_id>& runs) {
  for (auto run : runs)
    jobs_.erase(run);
}

} // namespace ringmaster::actors
