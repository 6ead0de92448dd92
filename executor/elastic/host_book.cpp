#include "executor/elastic/host_book.hpp"

#include <algorithm>

namespace ringmaster::executor::elastic {

using core::elastic::item_order;
using core::elastic::item_run_id;
using protocol::elastic_event_kind;
using protocol::elastic_verdict;

namespace {

known_parts with_names_of(known_parts known, const protocol::elastic_hello& me) {
  known.handlers = {me.handlers.begin(), me.handlers.end()};
  known.listeners = {me.listeners.begin(), me.listeners.end()};
  known.once_listeners = {me.once_listeners.begin(), me.once_listeners.end()};
  return known;
}

} // namespace

host_book::host_book(protocol::elastic_hello me, std::function<std::string()> draw_key, known_parts known)
  : me_{std::move(me)},
    draw_key_{std::move(draw_key)},
    runs_{static_cast<std::size_t>(std::max(me_.capacity, 0)), with_names_of(std::move(known), me_)} {
  me_.process = draw_key_();
}

// -- links -----------------------------------------------------------------------------------------------------------------

void host_book::add_link(link_number link, std::string address, host_moment now) {
  auto& state = links_[link];
  state.address = std::move(address);
  state.hello_at = hello_from_;
  if (hello_from_ <= now.boot)
    say_hello(link, state, now.boot);
}

void host_book::end_link(link_number link, host_moment now) {
  links_.erase(link);
  keepers_.end_link(link, now.boot);
  events_.end_link(link);
}

void host_book::say_hello(link_number link, link_state& state, boot_time now) {
  state.said_process = me_.process;
  state.said_at = now;
  state.hello_at = now + hello_limit;
  me_.epochs = runs_.epochs();
  send(link, me_);
}

host_book::link_state* host_book::welcomed(link_number link) {
  const auto found = links_.find(link);
  return found != links_.end() && found->second.welcomed ? &found->second : nullptr;
}

std::set<link_number> host_book::links_up() const {
  std::set<link_number> up;
  for (const auto& [number, link] : links_)
    if (link.welcomed)
      up.insert(number);
  return up;
}

void host_book::refuse(link_state& state, std::string why, boot_time again) {
  state.hello_at = again;
  if (state.trouble != why)
    effects_.warnings.push_back(state.address + " gives no items of elastic jobs: " + why);
  state.trouble = std::move(why);
}

void host_book::take(link_number link, const protocol::elastic_welcome& welcome, host_moment now) {
  const auto found = links_.find(link);
  // An answer to the hello of a process that has ended meanwhile is late.
  if (found == links_.end() || found->second.said_process != me_.process)
    return;
  auto& state = found->second;
  if (is_late(state, welcome))
    return;
  if (welcome.verdict != elastic_verdict::welcome)
    return take_refusal(state, welcome, now);
  if (!me_.cluster.empty() && welcome.cluster != me_.cluster)
    return refuse(state, "the node belongs to another cluster than the first one", now.boot + retry_late);
  if (host_ && *host_ != welcome.host) {
    effects_.warnings.push_back(state.address + " knows this process under another number: all items end");
    return begin_process(now);
  }
  host_ = welcome.host;
  me_.cluster = welcome.cluster;
  next_pause_ = replaced_pause;
  state.welcomed = true;
  state.trouble.clear();
  keepers_.add_link(link, welcome.limits, welcome.keeper_no, state.said_at, now.boot);
}

// A hello has one answer, and each link one late answer at most, unless the node is very slow. More of them show that the
// database counts processes from an earlier number on.
bool host_book::is_late(link_state& state, const protocol::elastic_welcome& answer) {
  const auto number = core::number(answer.host.incarnation);
  const bool may_be_refusal = answer.verdict != elastic_verdict::welcome && number == 0;
  if (may_be_refusal || number > core::number(ended_))
    return false;
  if (++state.late_answers < 2)
    return true;
  effects_.warnings.push_back(state.address
                              + " counts processes of this executor from an earlier number on: was the database restored?");
  ended_ = {};
  return false;
}

void host_book::take_refusal(link_state& state, const protocol::elastic_welcome& welcome, host_moment now) {
  const auto why = [&](const char* otherwise) { return welcome.reason.empty() ? std::string{otherwise} : welcome.reason; };
  switch (welcome.verdict) {
  case elastic_verdict::welcome: return;
  case elastic_verdict::dead_process:
    effects_.warnings.push_back(state.address + " counts this process as dead: all items end, and it enters again");
    return begin_process(now);
  case elastic_verdict::replaced:
    begin_process(now);
    stay_away(now);
    return refuse(state, why("another process uses the id of this executor"), hello_from_);
  case elastic_verdict::other_cluster:
    return refuse(state, why("the node belongs to another cluster"), now.boot + retry_late);
  case elastic_verdict::too_many_hosts:
    return refuse(state, why("the cluster has too many hosts"), now.boot + retry_late);
  case elastic_verdict::unavailable: state.hello_at = now.boot + retry_soon; return;
  }
}

void host_book::begin_process(host_moment now) {
  for (const auto& run : runs_.active())
    end_right(run.run, now);
  if (host_)
    ended_ = std::max(ended_, host_->incarnation);
  host_.reset();
  me_.process = draw_key_();
  keepers_.begin_process();
  for (auto& [number, link] : links_) {
    link.welcomed = false;
    link.late_answers = 0;
    // The node ignores hellos that follow each other too fast.
    link.hello_at = now.boot + hello_every;
  }
}

void host_book::stay_away(host_moment now) {
  hello_from_ = now.boot + next_pause_;
  next_pause_ = std::min(2 * next_pause_, replaced_pause_max);
  for (auto& [number, link] : links_)
    link.hello_at = hello_from_;
}

// -- messages --------------------------------------------------------------------------------------------------------------

void host_book::take(link_number link, const protocol::elastic_ack& ack, host_moment now) {
  if (welcomed(link) && keepers_.take_ack(link, ack, now.boot))
    effects_.lease_from = keepers_.lease_from();
}

void host_book::take(link_number link, const protocol::elastic_specs& batch, host_moment) {
  auto* state = welcomed(link);
  if (!state)
    return;
  for (const auto& spec : batch.specs) {
    auto& versions = state->specs[spec.job];
    versions.insert_or_assign(spec.version, std::make_shared<const protocol::elastic_spec>(spec));
    if (versions.size() > versions_max)
      versions.erase(versions.begin());
  }
}

void host_book::take(link_number link, const protocol::elastic_grants& grants, host_moment now) {
  auto* state = welcomed(link);
  if (!state)
    return;
  spec_ptr spec;
  if (const auto job = state->specs.find(grants.job); job != state->specs.end())
    if (const auto version = job->second.find(grants.version); version != job->second.end())
      spec = version->second;
  auto decided = runs_.admit(grants, spec, link, {host_, keepers_.lease_from(link), now.boot, draining_});
  for (auto& event : decided.events) {
    event.at = now.wall;
    events_.add(std::move(event), link);
  }
  if (decided.admitted.spec)
    effects_.grants.push_back(std::move(decided.admitted));
}

void host_book::take(link_number link, const protocol::elastic_orders& orders, host_moment) {
  if (!welcomed(link) || !host_ || *host_ != orders.host || !runs_.take_epoch(orders.slot, orders.epoch))
    return;
  for (const auto& each : orders.orders) {
    const auto job = runs_.take_order(each, link);
    if (job)
      effects_.orders.push_back({*job, {each.run, each.fence, each.order}});
    if (each.order == item_order::close && runs_.link_of(each.run) == 0) {
      events_.drop(each.run);
      if (job)
        effects_.fenced.push_back(each.run);
      effects_.closed.push_back(each.run);
    }
  }
  if (orders.inventory == 0)
    return;
  for (auto& part : runs_.inventory(orders.slot, orders.epoch, orders.inventory))
    send(link, std::move(part));
}

void host_book::take(link_number link, const protocol::elastic_receipt& receipt, host_moment now) {
  for (const auto& stored : events_.take_receipt(link, receipt.batch, receipt.stored, now.boot)) {
    runs_.take_receipt(stored.run, stored.kind);
    if (stored.kind == elastic_event_kind::cursor)
      effects_.saved.emplace_back(stored.run, stored.cursor_number);
  }
}

// -- runs ------------------------------------------------------------------------------------------------------------------

void host_book::take_event(protocol::elastic_event event, host_moment now) {
  const bool ends = event.kind == elastic_event_kind::finished;
  if (ends)
    effects_.closed.push_back(event.run);
  if (!runs_.take_event(event))
    return;
  if (event.at == core::time_point{})
    event.at = now.wall;
  const auto link = runs_.link_of(event.run);
  events_.add(std::move(event), link);
}

void host_book::end_right(item_run_id run, host_moment now) {
  auto event = runs_.fence(run);
  if (!event)
    return;
  event->at = now.wall;
  effects_.fenced.push_back(run);
  effects_.orders.push_back({event->job, {run, event->fence, item_order::close}});
  // Earlier events of the run no longer count.
  events_.drop(run);
  events_.add(std::move(*event), 0);
}

void host_book::take_lease_end(const std::vector<item_run_id>& runs, host_moment now) {
  for (const auto run : runs)
    end_right(run, now);
}

void host_book::begin_drain() {
  if (std::exchange(draining_, true))
    return;
  for (const auto& run : runs_.active())
    effects_.orders.push_back({run.job, {run.run, run.fence, item_order::drain}});
}

void host_book::cancel_all() {
  for (const auto& run : runs_.active())
    effects_.orders.push_back({run.job, {run.run, run.fence, item_order::cancel}});
}

// -- time ------------------------------------------------------------------------------------------------------------------

void host_book::pass_time(host_moment now) {
  for (auto& [number, link] : links_)
    if (!link.welcomed && link.hello_at <= now.boot)
      say_hello(number, link, now.boot);
  keepers_.pass_time(now.boot);
  beat(now);
  events_.pass_time(now.boot);
  send_events(now.boot);
}

void host_book::beat(host_moment now) {
  if (!host_)
    return;
  for (const auto& [number, link] : links_) {
    auto due = link.welcomed ? keepers_.next_beat(number, now.boot) : std::nullopt;
    if (!due)
      continue;
    due->incarnation = host_->incarnation;
    due->wall = now.wall;
    due->free_slots = draining_ ? 0 : runs_.free_slots();
    due->tainted = runs_.tainted();
    send(number, std::move(*due));
  }
}

void host_book::send_events(boot_time now) {
  if (events_.empty())
    return;
  const auto up = links_up();
  for (const auto link : up)
    while (auto batch = events_.next_batch(link, up, now))
      send(link, std::move(*batch));
}

} // namespace ringmaster::executor::elastic
