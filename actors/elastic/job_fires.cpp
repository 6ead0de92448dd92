// job_coordination: plans, fires and requests.

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "actors/elastic/job_coordination.hpp"
#include "core/elastic/misfire_rule.hpp"
#include "core/schedule/schedule_check.hpp"

namespace ringmaster::actors {

namespace {

namespace elastic = core::elastic;

constexpr core::milliseconds plan_quiet{200};
constexpr core::milliseconds plan_latest{1'000};
static_assert(elastic::fire_items_max * 2 <= elastic::batch_items_max);
constexpr std::size_t requests_kept = 100;
/// Requests that are over and still known: several readings of the job, of which each has at most `requests_kept`.
constexpr std::size_t requests_over_kept = 10 * requests_kept;

std::string members_text(std::uint64_t fingerprint) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(fingerprint));
  return text.data();
}

} // namespace

// -- plans -----------------------------------------------------------------------------------------------------------------

void job_coordination::set_dirty(job_moment at) {
  if (!plan_.quiet_at)
    plan_.latest = at.now + plan_latest;
  plan_.quiet_at = at.now + plan_quiet;
}

void job_coordination::replan(job_moment at) {
  plan_.quiet_at.reset();
  plan_.fingerprint = hosts_.fingerprint();
  const auto* first = items_.find(item_number{0});
  const auto runner = first == nullptr ? elastic::no_host : first->state.host.host;
  auto made = hosts_.plan(*strategies_, plan_.plan ? &*plan_.plan : nullptr, runner, at.wall);
  if (!made) {
    if (std::exchange(plan_.failure, made.error().context) != made.error().context)
      out_.problems.push_back("no plan: " + made.error().context);
    plan_.plan.reset();
    return;
  }
  plan_.failure.clear();
  if (plan_.plan != *made) {
    plan_.plan = std::move(*made);
    ++plan_.version;
    out_.facts.emplace_back(fact::plan{});
    plan_.stored = false;
  }
  slot_freed_ = true;
  if (job_->what.options.streaming)
    move_streams(at);
}

// Also those that an unchanged plan moves: the coordinator before may have ended between the plan and the order.
void job_coordination::move_streams(job_moment at) {
  for (const auto which : busy_items()) {
    const auto& one = items_.at(which).state;
    if (!may_drain(which, one) || hosts_.standing_of(one.host) == job_hosts::standing::gone)
      continue;
    if (const auto owner = plan_.plan->owner_of(core::number(which)); owner.is_assigned() && owner.host != one.host.host)
      apply(which, elastic::event::stream_moved{}, at);
  }
}

// -- fires -----------------------------------------------------------------------------------------------------------------

bool job_coordination::is_due(core::time_point wall) const {
  return schedule_.rule && schedule_.next && *schedule_.next <= wall && is_on() && !fire_;
}

bool job_coordination::waits_for_hosts(job_moment at) const {
  return at.now < phase_.hosts_expected_until && (!plan_.plan || plan_.plan->unassigned_count() == plan_.plan->total());
}

// The strategy of a single item may choose by its last runner. A fire that a stream misses does not move it.
bool job_coordination::changes_host_by_fire() {
  if (job_->what.total != 1 || job_->what.options.strategy.empty())
    return false;
  const auto* found = items_.find(item_number{0});
  return !job_->what.options.streaming || found == nullptr || !elastic::is_open(found->state.state);
}

void job_coordination::check_times(job_moment at) {
  const auto before = std::exchange(counts_.far_ahead, 0);
  if (!schedule_.rule || !is_on())
    return;
  const core::stored_times times{core::job_id{core::number(who_.job)}, schedule_.next, schedule_.last};
  const auto found = core::check_times(times, *schedule_.rule, at.wall, core::schedule_tolerance_min);
  counts_.far_ahead = found ? 1 : 0;
  if (found && before == 0)
    out_.problems.push_back(core::describe(*found));
}

void job_coordination::fire_due(job_moment at) {
  if (!is_due(at.wall))
    return;
  if (plan_.fingerprint != hosts_.fingerprint() || changes_host_by_fire())
    replan(at);
  if (waits_for_hosts(at))
    return;
  const auto of = core::job_id{core::number(who_.job)};
  const auto& options = job_->what.options;
  const auto next = *schedule_.next;
  const auto due = elastic::plan_fires(*schedule_.rule, next, of, at.wall, {options.misfire, options.misfire_max_age});
  const auto last = std::max(schedule_.last, due.last);
  elastic::fire_write out{who_.job, elastic::elastic_move{next, last, due.next, schedule_.revision}, {}, std::nullopt, {}};
  for (const auto& each : due.fires) {
    if (each.key.at <= schedule_.last)
      continue;
    if (!options.misfire_max_age)
      rules_.misfire_max_age = elastic::misfire_max_age_of(*schedule_.rule, each.key.at, of);
    add_fire(out, each.key, each.dropped, at);
    // Several missed instants are one fire: the first of them tells how late it is.
    const bool is_missed = each.dropped || each.key.source == elastic::run_source::misfire;
    if (out.alarms.empty())
      if (const auto alarm = alarms_.fired(is_missed ? next : each.key.at, each.dropped, at.wall))
        out.alarms.push_back(*alarm);
  }
  if (!out.fires.empty()) {
    const bool is_final = !options.misfire || rules_.misfire_max_age <= elastic::unowned_after;
    if (const auto alarm = alarms_.unassigned(unassigned_items(), is_final, at.wall))
      out.alarms.push_back(*alarm);
  }
  send_fire(std::move(out));
}

void job_coordination::add_fire(elastic::fire_write& to, const fire_key& key, bool dropped, job_moment at) {
  to.fires.push_back({key, plan_.version, job_->version, elastic::fire_state::dropped, 0, 0, std::nullopt});
  if (dropped)
    return;
  built_.fire = &to;
  built_.granted.clear();
  for (std::int32_t item = 0; item < job_->what.total; ++item)
    if (items_.contains(item_number{item}))
      apply(item_number{item}, elastic::event::fired{key}, at);
  built_.fire = nullptr;
  expect_granted(to.fires.back());
}

void job_coordination::expect_granted(elastic::fire_row& fire) {
  fire.expected = static_cast<std::int32_t>(built_.granted.size());
  fire.state = elastic::initial_state(built_.granted.size(), !job_->what.options.once_listeners.empty());
  if (fire.state == elastic::fire_state::gathering)
    once_.barriers.emplace_back(fire.key, elastic::fire_machine{built_.granted, limits()});
}

void job_coordination::send_fire(elastic::fire_write&& what) {
  fire_flight flight{what.move, 0, {}};
  if (plan_.plan && !plan_.stored && !what.fires.empty()) {
    what.plan = elastic::plan_row{plan_.version, members_text(plan_.fingerprint.value_or(0)), plan_.plan->total(),
                                  plan_.plan->encode(), what.fires.front().key.at};
    flight.plan_version = plan_.version;
  }
  if (what.items.size() > elastic::fire_items_max) {
    const auto cut = what.items.begin() + static_cast<std::ptrdiff_t>(elastic::fire_items_max);
    flight.rest.assign(std::make_move_iterator(cut), std::make_move_iterator(what.items.end()));
    what.items.erase(cut, what.items.end());
    // Until the grants of the rest are stored, the request is their only trace.
    if (!what.move)
      for (const auto& each : flight.rest)
        what.owed.push_back(each.item);
  }
  op_note note{op_note::kind::fire};
  for (const auto& each : what.items)
    note.items.push_back(each.item);
  note_fires(what, note);
  fire_ = std::move(flight);
  emit(std::move(what), std::move(note));
}

void job_coordination::settle_fire(const op_note& note, const elastic::elastic_answer& answer, job_moment at) {
  if (!fire_)
    return;
  auto flight = std::move(*fire_);
  fire_.reset();
  // An edit has changed the schedule: the fire does not exist, and neither do its runs.
  if (answer.outcome == elastic::write_outcome::guard_lost) {
    phase_.reload = true;
    return;
  }
  if (flight.move) {
    schedule_.next = flight.move->next;
    schedule_.last = flight.move->last;
  }
  plan_.stored = plan_.stored || (flight.plan_version != 0 && flight.plan_version == plan_.version);
  for (std::size_t i = 0; i < note.items.size() && i < answer.items.size(); ++i)
    settle_item(note.items[i], answer.items[i], at);
  for (auto& each : flight.rest) {
    const auto which = each.item;
    emit(std::move(each), {op_note::kind::item, {which}});
  }
  if (std::exchange(phase_.change_waits, false))
    out_.read_job = true;
  while (!fire_ && !requests_.waiting.empty() && !is_idle_now()) {
    const auto next = std::move(requests_.waiting.front());
    requests_.waiting.erase(requests_.waiting.begin());
    start_request(next, at);
  }
}

// -- requests --------------------------------------------------------------------------------------------------------------

void job_coordination::start_request(const elastic::request_row& request, job_moment at) {
  const auto is_same = [&](const auto& each) { return each.id == request.id; };
  if (core::number(request.id) == 0 || requests_.taken.contains(request.id)
      || std::find(requests_.over.begin(), requests_.over.end(), request.id) != requests_.over.end()
      || std::any_of(requests_.waiting.begin(), requests_.waiting.end(), is_same))
    return;
  // One fire of a job is written at a time.
  if (fire_ && request.owed.empty())
    return requests_.waiting.push_back(request);
  prune_requests();
  requests_.taken.emplace(request.id, request.param);
  const fire_key key{request.at, elastic::run_source::manual, request.id};
  const elastic::event::requested event{key, request.policy,
                                        elastic::moment_after(at.now, request.at + rules_.misfire_max_age - at.wall)};
  if (!request.owed.empty())
    return continue_request(request.owed, event, at);
  elastic::fire_write out{who_.job, std::nullopt, {}, std::nullopt, {}};
  out.fires.push_back({key, plan_.version, job_->version, elastic::fire_state::open, 0, 0, request.param});
  built_.fire = &out;
  requests_.starting = request.id;
  built_.granted.clear();
  requests_.dropped = 0;
  std::size_t asked = 0;
  for (std::int32_t item = 0; item < job_->what.total; ++item)
    if (const item_number which{item}; items_.contains(which) && request.item.value_or(which) == which) {
      ++asked;
      apply(which, event, at);
      const auto& queue = items_.at(which).state.queue;
      if (std::any_of(queue.begin(), queue.end(), [&](const auto& each) { return each.key == key; }))
        out.owed.push_back(which);
    }
  built_.fire = nullptr;
  requests_.starting = {};
  if (requests_.dropped >= asked)
    return emit(elastic::request_end{who_.job, request.id}, {op_note::kind::request});
  expect_granted(out.fires.back());
  send_fire(std::move(out));
}

// The coordinator before has begun it. What it owes is no longer dropped because an item is busy.
void job_coordination::continue_request(const std::vector<item_number>& owed, elastic::event::requested event, job_moment at) {
  event.policy = elastic::request_policy::queue;
  for (const auto which : owed)
    if (core::number(which) >= 0 && items_.contains(which))
      apply(which, event, at);
    else
      drop_request(which, event.key.request);
}

void job_coordination::drop_request(item_number which, elastic::request_id request) {
  if (!writes_.next.empty())
    if (auto* last = std::get_if<elastic::request_end>(&writes_.next.back().first); last != nullptr && last->request == request)
      return last->items.push_back(which);
  emit(elastic::request_end{who_.job, request, {which}}, {op_note::kind::request});
}

const std::string& job_coordination::param_of(const fire_key& fire) const {
  const auto found = requests_.taken.find(fire.request);
  return found != requests_.taken.end() && found->second ? *found->second : job_->what.options.param;
}

// Those that no item runs or waits for have no row any more.
void job_coordination::prune_requests() {
  if (requests_.taken.size() < requests_kept)
    return;
  std::set<elastic::request_id> used;
  for (const auto which : busy_) {
    const auto& one = items_.at(which).state;
    used.insert(one.cause.fire.request);
    for (const auto& each : one.queue)
      used.insert(each.key.request);
  }
  auto& over = requests_.over;
  std::erase_if(requests_.taken, [&](const auto& each) {
    if (used.contains(each.first))
      return false;
    over.push_back(each.first);
    return true;
  });
  if (over.size() > requests_over_kept)
    over.erase(over.begin(), over.end() - static_cast<std::ptrdiff_t>(requests_over_kept));
}

} // namespace ringmaster::actors
