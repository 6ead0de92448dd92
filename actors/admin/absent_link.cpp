#include "actors/admin/absent_link.hpp"

#include <algorithm>
#include <utility>

namespace ringmaster::actors {

absent_link_state::absent_link_state(protocol::absent_link::pointer self, std::string address)
  : self_{self}, why_{"no native link of " + std::move(address) + " to this node"} {}

protocol::absent_link::behavior_type absent_link_state::make_behavior() {
  return {
    [this](protocol::send_batch& batch) { hold(std::move(batch)); },
    [this](const protocol::probe_request&) { return protocol::probe_reply{0, why_}; },
    [this](const protocol::log_request&) { return protocol::log_reply{.error = why_}; },
    [this](const protocol::kill_request&) { return protocol::probe_reply{0, why_}; },
    [](const protocol::registry_change&) {},
    [](protocol::drain_inbox) {},
    [this](const protocol::native_link_news& news) { hand_over(news.link); },
    [this](protocol::tick_atom) {
      armed_ = false;
      give_up_late();
      arm();
    },
  };
}

void absent_link_state::hold(protocol::send_batch&& batch) {
  if (runs_held_ + batch.runs.size() > runs_max)
    return refuse(std::move(batch), "too many runs wait for a native link of this executor");
  auto from = self_->clock().now();
  for (const auto& run : batch.runs)
    from = std::max(from, run.leave_at);
  runs_held_ += batch.runs.size();
  held_.emplace(from + patience, std::move(batch));
  arm();
}

void absent_link_state::hand_over(const protocol::executor_link& to) {
  runs_held_ = 0;
  for (auto& [until, batch] : std::exchange(held_, {}))
    protocol::send(self_, to, std::move(batch));
}

void absent_link_state::give_up_late() {
  while (!held_.empty() && held_.begin()->first <= self_->clock().now()) {
    auto late = std::move(held_.extract(held_.begin()).mapped());
    runs_held_ -= late.runs.size();
    refuse(std::move(late), why_ + " within " + std::to_string(patience.count()) + " s");
  }
}

void absent_link_state::refuse(protocol::send_batch&& batch, const std::string& why) {
  protocol::send_results told;
  told.items.reserve(batch.runs.size());
  for (auto& run : batch.runs)
    told.items.push_back({.run = std::move(run), .state = protocol::send_state::not_sent, .code = 0, .message = why,
                          .elapsed = {}, .sent_at = {}, .unreachable = true});
  protocol::send(self_, batch.listener, std::move(told));
}

// As long as runs are held the message on its way keeps this actor, whoever lets it go.
void absent_link_state::arm() {
  if (held_.empty() || std::exchange(armed_, true))
    return;
  protocol::send_at(self_, protocol::absent_link{self_}, held_.begin()->first, protocol::tick_atom{});
}

} // namespace ringmaster::actors
