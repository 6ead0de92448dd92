#include "actors/elastic/elastic_hosts.hpp"

#include <algorithm>
#include <utility>

#include "actors/next_tick.hpp"

namespace ringmaster::actors {

namespace {

bool is_full(const protocol::elastic_event& event) noexcept {
  return event.kind == protocol::elastic_event_kind::refused && event.refusal == protocol::elastic_refusal::no_free_slot;
}

} // namespace

elastic_hosts_state::elastic_hosts_state(protocol::elastic_hosts::pointer self, elastic_hosts_parts parts)
  : self_{self}, parts_{std::move(parts)}, metrics_{self->system()} {
  next_tick_ = now();
  arm();
}

protocol::elastic_hosts::behavior_type elastic_hosts_state::make_behavior() {
  return {
    [this](protocol::host_said& message) { hear(std::move(message)); },
    [this](const protocol::host_link_lost& lost) { lose_link(lost); },
    [this](const protocol::death_report& report) {
      prove_end(report.host);
      work();
      tell_news();
    },
    [this](const protocol::incarnation_change& change) { change_incarnation(change); },
    [this](protocol::stop_request) { return leave(); },
    [this](protocol::host_send& message) { pass_on(std::move(message)); },
    [this](const protocol::host_events_done& done) { take_outcomes(done); },
    [this](protocol::tick_atom) { tick(); },
  };
}

// -- links -----------------------------------------------------------------------------------------------------------------

void elastic_hosts_state::hear(protocol::host_said&& message) {
  const auto link = message.link_number;
  links_.try_emplace(link, std::move(message.link));
  std::visit([&](auto& said) { hear(link, message.heard_at, std::move(said)); }, message.said);
}

void elastic_hosts_state::hear(std::uint64_t link, steady, protocol::host_introduction&& introduction) {
  if (!life_)
    return refuse(link, protocol::elastic_verdict::unavailable, "this node is not in the cluster now");
  std::erase_if(entries_, [&](const entry& other) { return other.link_number == link; });
  entries_.push_back({link, std::move(introduction)});
  work();
}

void elastic_hosts_state::hear(std::uint64_t link, steady, const protocol::host_rights& rights) {
  table_.change_rights(link, rights);
  for (auto& waiting : entries_)
    if (waiting.link_number == link)
      waiting.introduction.rights = rights;
}

void elastic_hosts_state::hear(std::uint64_t link, steady heard_at, const protocol::elastic_heartbeat& beat) {
  // Its items may run elsewhere by now: it ends them, and enters as a new process.
  if (const auto gone = table_.gone_process_of(link))
    return refuse(link, protocol::elastic_verdict::dead_process, "this process counts as dead", *gone);
  const auto ack = table_.hear(link, beat, heard_at, parts_.clock.at(heard_at));
  if (ack)
    tell(link, {life_->incarnation, *ack});
  else
    work();
}

void elastic_hosts_state::hear(std::uint64_t link, steady, protocol::elastic_events&& batch) {
  const auto process = table_.process_of(link);
  if (!process || batch.events.empty())
    return tell(link, {0, protocol::elastic_receipt{.batch = batch.batch, .stored = process.has_value()}});
  watch_programs(*process, batch.events);
  if (std::any_of(batch.events.begin(), batch.events.end(), is_full))
    table_.note_full(link);
  if (!receipts_.begin(link, batch.batch, batch.events.size(), now()))
    return;
  protocol::host_events passed{*process, link, batch.batch, std::move(batch.events)};
  protocol::send(self_, parts_.director, std::move(passed));
}

void elastic_hosts_state::hear(std::uint64_t link, steady, protocol::elastic_inventory&& part) {
  const auto process = table_.process_of(link);
  if (!process)
    return;
  protocol::host_events passed{*process, link, 0, {}, std::move(part)};
  protocol::send(self_, parts_.director, std::move(passed));
}

void elastic_hosts_state::lose_link(const protocol::host_link_lost& lost) {
  table_.lose_link(lost.link_number, lost.goodbye, now());
  if (lost.goodbye) {
    goodbyes_.insert(lost.link_number);
  } else {
    links_.erase(lost.link_number);
    goodbyes_.erase(lost.link_number);
    receipts_.forget(lost.link_number);
    std::erase_if(entries_, [&](const entry& waiting) { return waiting.link_number == lost.link_number; });
    look_for_ends();
  }
  work();
  tell_news();
  arm_for_proof();
}

void elastic_hosts_state::tell(std::uint64_t link, protocol::host_message&& message) {
  if (const auto found = links_.find(link); found != links_.end())
    protocol::send(self_, found->second, std::move(message));
}

void elastic_hosts_state::pass_on(protocol::host_send&& message) {
  if (const auto link = table_.link_to(message.host))
    tell(*link, std::move(message.message));
}

void elastic_hosts_state::take_outcomes(const protocol::host_events_done& done) {
  if (auto receipt = receipts_.add(done))
    tell(receipt->link_number, {receipt->life, receipt->what});
}

// -- time ------------------------------------------------------------------------------------------------------------------

caf::result<void> elastic_hosts_state::leave() {
  table_.leave();
  if (leaves_.empty())
    leave_until_ = now() + leave_limit;
  auto promise = self_->make_response_promise<void>();
  leaves_.push_back(promise);
  end_leave();
  return promise;
}

void elastic_hosts_state::end_leave() {
  if (!leaves_.empty() && (now() >= leave_until_ || !life_ || !table_.has_to_hand_over()))
    for (auto& promise : std::exchange(leaves_, {}))
      promise.deliver();
}

void elastic_hosts_state::look_for_ends() {
  for (const auto& process : parts_.processes->ended())
    prove_end(process);
}

void elastic_hosts_state::prove_end(const core::elastic::host_process& process) {
  parts_.log->info("process {} of host {} has ended", core::number(process.incarnation), core::number(process.host));
  parts_.processes->forget(process);
  table_.prove_end(process);
}

void elastic_hosts_state::tell_news() {
  for (const auto& each : table_.take_replaced_links())
    refuse_replaced(each.link, each.facts, each.process);
  // The view comes first: a coordinator that learns that a host has gone looks for another one.
  auto notices = table_.take_notices();
  if (auto view = table_.take_view(now())) {
    metrics_.show_hosts(*view);
    protocol::send(self_, parts_.director, protocol::host_view{std::move(view)});
  }
  for (auto& notice : notices) {
    using enum protocol::host_fate;
    if (notice.fate == replaced || notice.fate == dead || notice.fate == left) {
      parts_.processes->forget(notice.host);
      notice.programs_ended = parts_.processes->programs_ended(notice.host);
      if (notice.programs_ended)
        parts_.processes->forget_programs(notice.host);
      else if (parts_.processes->has_programs(notice.host))
        with_programs_.emplace_back(notice.host, now() + programs_limit);
    }
    protocol::send(self_, parts_.director, notice);
  }
}

void elastic_hosts_state::watch_programs(const core::elastic::host_process& process,
                                         const std::vector<protocol::elastic_event>& events) {
  for (const auto& event : events)
    if (event.kind == protocol::elastic_event_kind::started && event.child_pid > 0)
      parts_.processes->watch_program(process, event.run, event.child_pid);
    else if (event.kind == protocol::elastic_event_kind::finished)
      parts_.processes->forget_program(process, event.run);
}

void elastic_hosts_state::tell_ended_programs() {
  std::erase_if(with_programs_, [this](const auto& waiting) {
    const auto& [process, until] = waiting;
    const bool has_ended = parts_.processes->programs_ended(process);
    if (has_ended)
      protocol::send(self_, parts_.director, protocol::host_notice{process, protocol::host_fate::dead, {}, true});
    const bool is_over = has_ended || now() >= until;
    if (is_over)
      parts_.processes->forget_programs(process);
    return is_over;
  });
}

void elastic_hosts_state::tick() {
  table_.look(now());
  look_for_ends();
  for (auto& receipt : receipts_.give_up(now()))
    tell(receipt.link_number, {0, receipt.what});
  work();
  tell_news();
  tell_ended_programs();
  end_leave();
  if (now() >= next_tick_)
    arm();
  arm_for_proof();
}

void elastic_hosts_state::arm() {
  next_tick_ = next_tick(next_tick_, period, now());
  protocol::send_at(self_, protocol::elastic_hosts{self_}, next_tick_, protocol::tick_atom{});
}

void elastic_hosts_state::arm_for_proof() {
  if (now() < extra_tick_ || !table_.expects_proof(now()))
    return;
  extra_tick_ = now() + short_period;
  protocol::send_at(self_, protocol::elastic_hosts{self_}, extra_tick_, protocol::tick_atom{});
}

} // namespace ringmaster::actors
