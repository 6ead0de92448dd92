#include "executor/elastic/run_book.hpp"

#include <algorithm>
#include <span>

#include "core/elastic/job_types.hpp"
#include "core/elastic/name_list.hpp"
#include "core/elastic/part_names.hpp"
#include "protocol/elastic_border.hpp"

namespace ringmaster::executor::elastic {

using core::elastic::item_order;
using core::elastic::item_run_id;
using protocol::elastic_event_kind;
using protocol::elastic_phase;
using protocol::elastic_refusal;

namespace {

/// Returns the reason of a refusal, for users.
/// `missing`: the first listener of the job that this process lacks.
std::string words_of(elastic_refusal why, const protocol::elastic_spec* spec, const std::string& missing) {
  switch (why) {
  case elastic_refusal::none: return {};
  case elastic_refusal::old_epoch: return "the grant is of an earlier owner of the job";
  case elastic_refusal::other_process: return "the grant is for an earlier process of this executor";
  case elastic_refusal::no_lease: return "the executor has no valid lease";
  case elastic_refusal::no_free_slot: return "the executor has no free slot";
  case elastic_refusal::draining: return "the executor is about to stop";
  case elastic_refusal::unknown_handler:
    return "the executor has no handler \"" + (spec ? spec->handler : std::string{}) + "\" for this kind of job";
  case elastic_refusal::no_definition: return "the executor does not have this version of the job";
  case elastic_refusal::busy: return "the executor has or had a run of this item already";
  case elastic_refusal::unknown_pool: return "the executor has no pool \"" + (spec ? spec->pool : std::string{}) + '"';
  case elastic_refusal::unknown_error_handler:
    return "the executor has no error handler \"" + (spec ? spec->error_handler : std::string{}) + '"';
  case elastic_refusal::unknown_listener: return "the executor has no listener \"" + missing + "\"";
  }
  return {};
}

/// Returns the first name of a list that is not known; empty: none.
std::string missing_of(const std::set<std::string, std::less<>>& known, std::string_view list) {
  for (auto& each : core::elastic::names_in(list))
    if (!known.contains(each))
      return std::move(each);
  return {};
}

std::string missing_listener_of(const known_parts& known, const protocol::elastic_spec& spec) {
  auto out = missing_of(known.listeners, spec.listeners);
  return out.empty() ? missing_of(known.once_listeners, spec.once_listeners) : out;
}

bool is_hook(core::elastic::item_number which) noexcept { return core::number(which) < 0; }

protocol::elastic_event event_of(const protocol::elastic_grants& grants, const protocol::elastic_grant& grant) {
  protocol::elastic_event out;
  out.job = grants.job;
  out.item = grant.item;
  out.run = grant.run;
  out.fence = grant.fence;
  return out;
}

} // namespace

bool run_book::take_epoch(std::uint32_t slot, std::int64_t epoch) {
  auto& highest = epochs_[slot];
  if (epoch < highest)
    return false;
  highest = epoch;
  return true;
}

std::vector<core::elastic::slot_lease> run_book::epochs() const {
  std::vector<core::elastic::slot_lease> out;
  for (const auto& [slot, epoch] : epochs_)
    out.push_back({slot, epoch});
  return out;
}

// -- grants ----------------------------------------------------------------------------------------------------------------

elastic_refusal run_book::refusal_of_all(const protocol::elastic_grants& grants,
                                         const std::shared_ptr<const protocol::elastic_spec>& spec,
                                         const admission_state& state) {
  // A grant for another process is no proof that its sender owns the slot now, but its epoch was drawn all the same.
  if (!take_epoch(grants.slot, grants.epoch))
    return elastic_refusal::old_epoch;
  if (!state.me || *state.me != grants.host)
    return elastic_refusal::other_process;
  if (!spec)
    return elastic_refusal::no_definition;
  return refusal_of_parts(*spec);
}

// Another pool or error handler than that of the job would be a surprise, so there is no substitute.
elastic_refusal run_book::refusal_of_parts(const protocol::elastic_spec& spec) const {
  if (!core::elastic::is_handler_of_type(spec.handler, spec.kind) || !known_.handlers.contains(spec.handler))
    return elastic_refusal::unknown_handler;
  const auto has = [](std::span<const std::string_view> built_in, const auto& others, std::string_view name) {
    return others.contains(name) || std::find(built_in.begin(), built_in.end(), name) != built_in.end();
  };
  if (!has(core::elastic::pool_names, known_.pools, core::elastic::pool_of(spec.pool)))
    return elastic_refusal::unknown_pool;
  if (!has(core::elastic::error_handler_names, known_.error_handlers, core::elastic::error_handler_of(spec.error_handler)))
    return elastic_refusal::unknown_error_handler;
  if (!missing_listener_of(known_, spec).empty())
    return elastic_refusal::unknown_listener;
  return elastic_refusal::none;
}

elastic_refusal run_book::refusal_of(const protocol::elastic_grants& grants, const protocol::elastic_grant& grant,
                                     const protocol::elastic_spec& spec, const admission_state& state) const {
  // The items of this process may wait for a hook.
  if (state.draining && !is_hook(grant.item))
    return elastic_refusal::draining;
  if (!state.lease_from || *state.lease_from + grant.lease <= state.now)
    return elastic_refusal::no_lease;
  if (core::number(grant.item) >= spec.total)
    return elastic_refusal::unknown_handler;
  if (is_hook(grant.item) && spec.once_listeners.empty())
    return elastic_refusal::unknown_listener;
  if (recent_.contains({grant.run, grant.fence}) || strays_.contains(grant.run) || busy_.contains({grants.job, grant.item}))
    return elastic_refusal::busy;
  return is_hook(grant.item) || free_slots() > 0 ? elastic_refusal::none : elastic_refusal::no_free_slot;
}

bool run_book::is_held(const protocol::elastic_grant& grant) const {
  const auto found = held_.find(grant.run);
  return found != held_.end() && found->second.facts.fence == grant.fence;
}

admission run_book::admit(const protocol::elastic_grants& grants, const std::shared_ptr<const protocol::elastic_spec>& spec,
                          link_number link, const admission_state& state) {
  admission out;
  const auto for_all = refusal_of_all(grants, spec, state);
  for (const auto& grant : grants.items) {
    auto event = event_of(grants, grant);
    // A refusal says that no body of the run is here, so a held run is accepted again, whatever its grant says now.
    const bool again = is_held(grant);
    if (!again)
      event.refusal = for_all != elastic_refusal::none ? for_all : refusal_of(grants, grant, *spec, state);
    if (event.refusal != elastic_refusal::none) {
      event.kind = elastic_event_kind::refused;
      event.text = words_of(event.refusal, spec.get(), spec ? missing_listener_of(known_, *spec) : std::string{});
    } else if (!again) {
      hooks_ += is_hook(grant.item) ? 1 : 0;
      busy_.insert({grants.job, grant.item});
      held_[grant.run] = {{grants.job, grant.item, grant.run, grant.fence, elastic_phase::waiting}, grants.slot, link, true};
      out.admitted.items.push_back(grant);
    }
    out.events.push_back(std::move(event));
  }
  if (!out.admitted.items.empty()) {
    out.admitted.spec = spec;
    out.admitted.param = grants.param;
  }
  return out;
}

// -- orders ----------------------------------------------------------------------------------------------------------------

std::optional<core::elastic::elastic_job_id> run_book::take_order(const protocol::elastic_run_order& order, link_number link) {
  if (order.order == item_order::close)
    fenced_.erase(order.run);
  const auto found = held_.find(order.run);
  if (found == held_.end() || found->second.facts.fence != order.fence)
    return std::nullopt;
  auto& run = found->second;
  run.link = link;
  const auto job = run.facts.job;
  const bool has_body = run.has_body;
  if (order.order == item_order::kill && has_body)
    killed_.insert(order.run);
  if (order.order == item_order::close)
    let_go(found);
  return has_body ? std::optional{job} : std::nullopt;
}

std::vector<protocol::elastic_inventory> run_book::inventory(std::uint32_t slot, std::int64_t epoch,
                                                             std::uint64_t question) const {
  std::vector<protocol::elastic_inventory> out;
  const auto begin_part = [&] {
    out.emplace_back();
    out.back().question = question;
    out.back().slot = slot;
    out.back().epoch = epoch;
  };
  begin_part();
  for (const auto* each : {&held_, &fenced_})
    for (const auto& [number, run] : *each) {
      if (run.slot != slot)
        continue;
      if (out.back().runs.size() == protocol::elastic_link_limits::items_max)
        begin_part();
      out.back().runs.push_back(run.facts);
    }
  out.back().end = true;
  return out;
}

// -- events ----------------------------------------------------------------------------------------------------------------

bool run_book::take_event(const protocol::elastic_event& event) {
  const bool ends = event.kind == elastic_event_kind::finished;
  if (ends) {
    if (const auto stray = strays_.extract(event.run))
      busy_.erase(stray.mapped());
    killed_.erase(event.run);
  }
  const auto found = held_.find(event.run);
  if (found == held_.end() || found->second.facts.fence != event.fence)
    return false;
  auto& run = found->second;
  if (!run.has_body)
    return false;
  if (event.kind == elastic_event_kind::started)
    run.facts.phase = elastic_phase::running;
  else if (event.kind == elastic_event_kind::arrived)
    run.facts.phase = elastic_phase::holding;
  if (ends) {
    run.facts.phase = elastic_phase::ended;
    run.has_body = false;
    busy_.erase({run.facts.job, run.facts.item});
  }
  return true;
}

std::optional<protocol::elastic_event> run_book::fence(item_run_id run) {
  const auto found = held_.find(run);
  if (found == held_.end() || !found->second.has_body)
    return std::nullopt;
  protocol::elastic_event out;
  const auto& facts = found->second.facts;
  out.job = facts.job;
  out.item = facts.item;
  out.run = run;
  out.fence = facts.fence;
  out.kind = elastic_event_kind::fenced;
  auto& known = fenced_[run] = found->second;
  known.facts.phase = elastic_phase::ended;
  let_go(found);
  return out;
}

void run_book::take_receipt(item_run_id run, elastic_event_kind kind) {
  if (kind == elastic_event_kind::fenced)
    fenced_.erase(run);
  const auto found = held_.find(run);
  if (kind == elastic_event_kind::finished && found != held_.end() && !found->second.has_body)
    let_go(found);
}

void run_book::let_go(std::map<item_run_id, held_run>::iterator which) {
  const auto& [run, held] = *which;
  hooks_ -= is_hook(held.facts.item) ? 1 : 0;
  if (held.has_body)
    strays_.emplace(run, item_of_job{held.facts.job, held.facts.item});
  remember(run, held.facts.fence);
  held_.erase(which);
}

void run_book::remember(item_run_id run, core::elastic::fence_number fence) {
  if (!recent_.emplace(run, fence).second)
    return;
  recent_order_.emplace_back(run, fence);
  if (recent_order_.size() <= recent_max)
    return;
  recent_.erase(recent_order_.front());
  recent_order_.pop_front();
}

// -- counts ----------------------------------------------------------------------------------------------------------------

std::vector<protocol::elastic_held_run> run_book::active() const {
  std::vector<protocol::elastic_held_run> out;
  for (const auto& [number, run] : held_)
    if (run.has_body)
      out.push_back(run.facts);
  return out;
}

link_number run_book::link_of(item_run_id run) const {
  const auto found = held_.find(run);
  return found == held_.end() ? 0 : found->second.link;
}

std::int32_t run_book::free_slots() const {
  const auto used = held_.size() - hooks_ + strays_.size();
  return used >= capacity_ ? 0 : static_cast<std::int32_t>(capacity_ - used);
}

} // namespace ringmaster::executor::elastic
