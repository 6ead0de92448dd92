// job_coordination: the list of hosts, news about them, and questions to them.

#include <algorithm>
#include <utility>

#include "actors/elastic/job_coordination.hpp"
#include "core/elastic/job_types.hpp"

namespace ringmaster::actors {

namespace {

namespace elastic = core::elastic;

} // namespace

void job_coordination::look(std::shared_ptr<const protocol::known_hosts> known, job_moment at) {
  const bool is_news = !known->only_load || fresh_;
  hosts_.set_view(std::move(known));
  recount_slots();
  if (!take_wake())
    return;
  if (is_news) {
    set_rules(at.wall);
    if (plan_.fingerprint != hosts_.fingerprint())
      set_dirty(at);
    check_links(at);
    obey_drains(at);
  }
  slot_freed_ = true;
  settle(at);
  fresh_ = false;
}

// Grants that no heartbeat can count yet.
void job_coordination::recount_slots() {
  for (const auto which : busy_)
    if (const auto& one = items_.at(which).state;
        core::number(which) >= 0 && (one.state == elastic::item_state::granting || one.state == elastic::item_state::sent))
      hosts_.occupy(one.host.host);
}

// A list may be ahead of the news about a host, or tell that a link is back.
void job_coordination::check_links(job_moment at) {
  for (const auto which : busy_items()) {
    const auto* found = items_.find(which);
    if (found == nullptr || !elastic::is_open(found->state.state))
      continue;
    const auto& one = found->state;
    const auto host = one.host;
    switch (hosts_.standing_of(host)) {
    case job_hosts::standing::ready:
      if (one.state == elastic::item_state::unreachable)
        ask(host);
      break;
    case job_hosts::standing::away:
      specs_.sent.erase(core::number(host.host));
      if (one.state != elastic::item_state::unreachable)
        apply(which, elastic::event::link_lost{host}, at);
      break;
    case job_hosts::standing::gone:
      // Its takeover needs a plan without the host.
      if (plan_.quiet_at)
        replan(at);
      lose_host(which, at);
      break;
    case job_hosts::standing::silent:
      // The news of its silence tells the last heartbeat, and follows this list, unless it came before the start.
      if (fresh_)
        ask(host);
      break;
    case job_hosts::standing::unknown: ask(host); break;
    }
  }
}

void job_coordination::lose_host(item_number which, job_moment at) {
  const auto& one = items_.at(which);
  const auto host = one.state.host;
  // A grant that is being written has not left yet.
  const bool may_have_program = job_->what.kind == elastic::script_type && one.state.state != elastic::item_state::granting;
  if (!may_have_program || (one.has_program && hosts_.have_programs_ended(host)))
    apply(which, elastic::event::host_gone{host}, at);
  else if (!one.state.silent)
    apply(which, elastic::event::host_silent{host, at.now}, at);
}

void job_coordination::lose_host_of_all(const host_process& host, job_moment at) {
  for (const auto which : busy_items())
    if (const auto* found = items_.find(which);
        found != nullptr && elastic::is_open(found->state.state) && found->state.host == host)
      lose_host(which, at);
}

// The lease of a host whose silence is no news: from now on, and only once.
void job_coordination::count_lease(const host_process& host, job_moment at) {
  for (const auto which : busy_items())
    if (const auto* found = items_.find(which); found != nullptr)
      if (const auto& one = found->state; elastic::is_open(one.state) && one.host == host && !one.silent)
        apply(which, elastic::event::host_silent{host, at.now}, at);
}

void job_coordination::notice(const protocol::host_notice& what, job_moment at) {
  using enum protocol::host_fate;
  if (what.fate != back)
    hosts_.exclude(what.host);
  // Definitions belong to a link, and it may be a new one.
  specs_.sent.erase(core::number(what.host.host));
  if (is_idle_now())
    return;
  switch (what.fate) {
  case suspect: apply_to_runs_on(what.host, elastic::event::link_lost{what.host}, at); break;
  case silent: apply_to_runs_on(what.host, elastic::event::host_silent{what.host, what.last_beat}, at); break;
  case back:
    for (const auto which : busy_)
      if (const auto& one = items_.at(which).state;
          one.state == elastic::item_state::unreachable && one.host == what.host)
        ask(what.host);
    break;
  case dead:
  case replaced:
  case left:
    if (what.programs_ended)
      hosts_.note_ended_programs(what.host);
    replan(at);
    lose_host_of_all(what.host, at);
    break;
  }
  settle(at);
}

void job_coordination::settle_asks(job_moment at) {
  while (!inventories_.hosts.empty()) {
    const auto host = inventories_.hosts.back();
    std::erase(inventories_.hosts, host);
    switch (hosts_.standing_of(host)) {
    case job_hosts::standing::ready: {
      const bool waits = std::any_of(inventories_.questions.begin(), inventories_.questions.end(),
                                     [&](const auto& each) { return each.second.host == host; });
      if (waits)
        break;
      // Unique on each link, where all coordinators ask.
      const auto stamp = static_cast<std::uint64_t>(
        std::chrono::duration_cast<core::milliseconds>(at.now.time_since_epoch()).count());
      const auto job = static_cast<std::uint64_t>(core::number(who_.job)) & question_jobs;
      inventories_.last_question = std::max(inventories_.last_question + question_jobs + 1, (stamp << 22U) | job);
      inventories_.questions.emplace(inventories_.last_question, question{host, at.now});
      mail_.ask(host, inventories_.last_question);
      break;
    }
    case job_hosts::standing::gone: lose_host_of_all(host, at); break;
    // A run that became open in memory after the news of the silence waits for no other news.
    case job_hosts::standing::silent: count_lease(host, at); break;
    // No longer in the list: dead before this node listened. The store checks it.
    case job_hosts::standing::unknown:
      if (hosts_.has_view())
        count_lease(host, at);
      break;
    case job_hosts::standing::away: break;
    }
  }
}

void job_coordination::expire_questions(job_moment at) {
  std::erase_if(inventories_.questions, [&](const auto& each) {
    const bool over = each.second.asked_at + inventory_limit <= at.now;
    if (over)
      ask(each.second.host);
    return over;
  });
}

} // namespace ringmaster::actors
