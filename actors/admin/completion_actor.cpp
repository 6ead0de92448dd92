#include "actors/admin/completion_actor.hpp"

#include <algorithm>
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
    [this](protocol::ending_run& told) { mark(std::move(told)); },
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

void completion_actor_state::mark(protocol::ending_run&& told) {
  const auto now = self_->clock().now();
  if (!told.message) {
    endings_.erase(told.run);
  } else {
    endings_.insert_or_assign(told.run, ending{std::move(*told.message), now + ending_time});
    ending_order_.emplace_back(told.run, now + ending_time);
  }
  drop_endings(now);
}

// One that was marked anew since stays until its own end.
void completion_actor_state::drop_endings(caf::actor_clock::time_point now) {
  while (!ending_order_.empty() && (ending_order_.front().second <= now || ending_order_.size() > endings_max)) {
    const auto& [run, until] = ending_order_.front();
    if (const auto found = endings_.find(run); found != endings_.end() && found->second.until == until)
      endings_.erase(found);
    ending_order_.pop_front();
  }
}

void completion_actor_state::judge(core::callback& result) {
  const auto found = endings_.find(result.id);
  if (found == endings_.end() || result.code != 200)
    return;
  result.code = 500;
  result.message = found->second.message;
}

caf::result<protocol::callbacks_stored> completion_actor_state::complete(protocol::callback_batch&& batch) {
  if (batch.items.empty())
    return protocol::callbacks_stored{};
  if (waiting_ >= waiting_max)
    return protocol::to_caf({core::errc::too_large, "too many callbacks wait for the store"});
  drop_endings(self_->clock().now());
  for (auto& item : batch.items)
    if (auto found = jobs_.find(item.id); found != jobs_.end())
      item.spec = found->second;
  drop_foreign(batch.items);
  if (batch.items.empty())
    return protocol::callbacks_stored{};
  std::vector<core::log_id> runs;
  runs.reserve(batch.items.size());
  for (auto& item : batch.items) {
    // Of whom the store has yet to say whether it may end it, nothing is forgotten.
    if (!item.only_of)
      runs.push_back(item.id);
    judge(item);
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

// Who shows the token of a group reports for its runs only. Of a run that nobody remembers here, the store knows the group.
void completion_actor_state::drop_foreign(std::vector<core::callback>& items) {
  const auto is_foreign = [](const core::callback& item) { return item.spec && !item.may_be_of(item.spec->group); };
  const auto first = std::find_if(items.begin(), items.end(), is_foreign);
  if (first != items.end()) {
    const auto run = first->id;
    const auto dropped = std::erase_if(items, is_foreign);
    log_->warn("run={} and {} more: results from an executor of another group are refused", core::number(run), dropped - 1);
  }
  for (auto& item : items)
    if (item.spec)
      item.only_of = nullptr;
}

void completion_actor_state::pass_on(protocol::intent_batch&& batch) { protocol::send(self_, schedule_, std::move(batch)); }

void completion_actor_state::forget(const std::vector<core::log_id>& runs) {
  for (auto run : runs) {
    jobs_.erase(run);
    endings_.erase(run);
  }
}

} // namespace ringmaster::actors
