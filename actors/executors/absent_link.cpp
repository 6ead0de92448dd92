#include "actors/executors/absent_link.hpp"

#include <algorithm>
#include <utility>

namespace ringmaster::actors {

absent_link_state::absent_link_state(protocol::absent_link::pointer self, absent_link_tools tools, std::string address)
  : self_{self},
    tools_{std::move(tools)},
    address_{std::move(address)},
    why_{"no native link from " + address_ + " to this node"} {}

protocol::absent_link::behavior_type absent_link_state::make_behavior() {
  return {
    [this](protocol::send_batch& batch) { hold(std::move(batch)); },
    [this](const protocol::probe_request&) { return protocol::probe_reply{0, why_}; },
    [this](const protocol::log_request&) { return protocol::log_reply{.error = why_}; },
    [this](const protocol::kill_request&) { return protocol::probe_reply{0, why_}; },
    [](const protocol::registry_change&) {},
    [](protocol::drain_inbox) {},
    [this](const protocol::native_link_update& update) { learn(update); },
    [this](protocol::tick_atom) {
      armed_ = false;
      give_up_late();
      arm();
    },
  };
}

void absent_link_state::hold(protocol::send_batch&& batch) {
  std::vector<waiting_run> surplus;
  for (auto& run : batch.runs) {
    waiting_run one{std::move(run), batch.listener, self_->clock().now()};
    if (held_.size() >= runs_max)
      surplus.push_back(std::move(one));
    else
      held_.emplace(limit_of(one.run), std::move(one));
  }
  if (!surplus.empty())
    refuse(std::move(surplus), "too many runs wait for a native link of this executor");
  if (has_native_link_) // the sender had asked for the link before the executor connected
    return_held();
  arm();
}

void absent_link_state::learn(const protocol::native_link_update& update) {
  has_native_link_ = update.up;
  if (update.up)
    return_held();
}

// A run that begins at its instant waits from then on.
absent_link_state::steady absent_link_state::limit_of(const core::claimed_run& run) const {
  const auto limit = std::max(self_->clock().now(), run.leave_at) + patience;
  const auto& plan = run.plan;
  if (plan.kind != core::trigger_kind::cron || plan.spec->misfire != core::misfire_policy::do_nothing)
    return limit;
  return std::min(limit, tools_.clock.when(plan.fire_at + tools_.misfire_after));
}

void absent_link_state::return_held() { hand_back(self_, tools_.pool, address_, runs_of(std::exchange(held_, {}))); }

void absent_link_state::give_up_late() {
  std::vector<waiting_run> late;
  while (!held_.empty() && held_.begin()->first <= self_->clock().now())
    late.push_back(std::move(held_.extract(held_.begin()).mapped()));
  refuse(std::move(late), why_ + " within the time that the run may wait");
}

void absent_link_state::refuse(std::vector<waiting_run>&& runs, const std::string& why) {
  const auto now = self_->clock().now();
  result_groups told;
  for (auto& one : runs)
    told.add(one.listener, {.run = std::move(one.run), .state = protocol::send_state::not_sent, .code = 0, .message = why,
                            .elapsed = std::chrono::duration_cast<std::chrono::microseconds>(now - one.since), .sent_at = {},
                            .unreachable = true});
  told.tell(self_);
}

// While runs are held, the pending message keeps this actor alive, even if all references are dropped.
void absent_link_state::arm() {
  if (held_.empty() || std::exchange(armed_, true))
    return;
  protocol::send_at(self_, protocol::absent_link{self_}, held_.begin()->first, protocol::tick_atom{});
}

} // namespace ringmaster::actors
