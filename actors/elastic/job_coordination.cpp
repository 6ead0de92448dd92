#include "actors/elastic/job_coordination.hpp"

#include <algorithm>
#include <utility>

#include "core/elastic/error_target.hpp"
#include "core/elastic/misfire_rule.hpp"
#include "protocol/elastic_border.hpp"

namespace ringmaster::actors {

namespace {

namespace elastic = core::elastic;
using namespace std::chrono_literals;

/// Writes of items in one message: half of a transaction, so that two coordinators fit.
constexpr std::size_t writes_per_message = elastic::batch_items_max / 2;
constexpr core::milliseconds lease_fast{500};
constexpr core::milliseconds lease_orphan{60'500};
/// Hosts link again within this time after a start of the node: until then a fire waits for the first of them.
constexpr core::milliseconds host_patience{2'000};

std::size_t items_in(const elastic::elastic_op& op) {
  if (const auto* fire = std::get_if<elastic::fire_write>(&op))
    return std::max<std::size_t>(fire->items.size(), 1);
  return 1;
}

} // namespace

job_coordination::job_coordination(job_identity who, std::shared_ptr<const elastic::strategy_registry> strategies,
                                   const config::elastic_settings& limits, std::shared_ptr<host_slots> slots)
  : who_{who},
    strategies_{std::move(strategies)},
    choose_{[this](const elastic::run_cause& cause, std::span<const host_process> except) { return choose(cause, except); }},
    hosts_{std::move(slots)},
    alarms_{limits},
    mail_{who.job, who.lease, who.life} {}

protocol::elastic_spec job_coordination::spec() const {
  const auto& what = job_->what;
  const auto& options = what.options;
  return {job_->id,     job_->version,         what.name_space,   what.name,
          what.kind,    what.handler,          what.total,        options.item_params,
          options.pool, options.error_handler, options.listeners, options.once_listeners,
          options.streaming, elastic::props_for_host(options.error_handler, what.props)};
}

// -- state of the job ------------------------------------------------------------------------------------------------------

void job_coordination::forget() {
  items_.for_each_full([this](const job_item& one) {
    for (const auto& each : one.after_writes)
      if (const auto* part = std::get_if<receipt_part>(&each))
        receive(*part, false);
  });
  // Grants that were not stored, with all of a fire that an edit has voided.
  for (const auto which : busy_)
    if (const auto& one = items_.at(which).state; core::number(which) >= 0 && one.state == elastic::item_state::granting)
      hosts_.free(one.host.host);
  items_.clear();
  counts_ = {};
  busy_.clear();
  runs_on_.clear();
  dues_.clear();
  cursors_.clear();
  inbox_.clear();
  requests_.taken.clear();
  requests_.waiting.clear();
  once_.barriers.clear();
  inventories_.questions.clear();
  inventories_.hosts.clear();
  rows_.wanted.clear();
  rows_.being_read.clear();
  specs_.sent.clear();
  plan_ = {};
  schedule_ = {};
  fire_.reset();
  phase_.reload = phase_.reload_asked = phase_.change_waits = false;
}

void job_coordination::take_definition(elastic::elastic_job_row&& job, std::vector<std::string>&& disabled, schedule_rule rule) {
  schedule_.next = job.next;
  // No fire is stored between an edit and its reading: the row of a new revision is true, also if a repair has moved it back.
  schedule_.last = job.revision > schedule_.revision ? job.last : std::max(schedule_.last, job.last);
  schedule_.revision = job.revision;
  schedule_.rule = std::move(rule);
  job_ = std::make_shared<const elastic::elastic_job_row>(std::move(job));
  hosts_.set_job(job_, std::move(disabled));
  protocol::elastic_specs message;
  message.specs.push_back(spec());
  const auto breach = protocol::breach_of(message);
  if (phase_.sendable = breach.empty(); !phase_.sendable)
    out_.problems.push_back("the definition cannot be sent to hosts: " + breach);
}

void job_coordination::set_rules(core::time_point wall) {
  const auto& options = job_->what.options;
  rules_.enabled = is_on();
  rules_.failover = options.failover;
  rules_.misfire = options.misfire;
  rules_.failover_max = static_cast<std::uint8_t>(std::clamp(options.failover_max, 0, 254));
  rules_.timeout = options.timeout;
  rules_.cancel_grace = options.cancel_grace;
  const bool fast = options.fence_mode == elastic::fence_mode::fast
                    || (options.fence_mode == elastic::fence_mode::by_nodes && hosts_.has_several_nodes());
  rules_.lease = fast ? lease_fast : lease_orphan;
  const auto of = core::job_id{core::number(who_.job)};
  rules_.misfire_max_age = elastic::last_misfire_age;
  if (options.misfire_max_age)
    rules_.misfire_max_age = *options.misfire_max_age;
  else if (schedule_.rule)
    rules_.misfire_max_age = elastic::misfire_max_age_of(*schedule_.rule, schedule_.next.value_or(wall), of);
  once_.rules = rules_;
  once_.rules.enabled = true;
  once_.rules.misfire = false;
}

// A grant is always earlier than now: the clock of the node that granted it may have been ahead, and an inventory from before
// the grant would prove nothing.
elastic::stored_item job_coordination::stored_form(const elastic::item_row& row, job_moment at) {
  const auto granted = std::clamp(row.granted, core::time_point{}, std::max(at.wall - 1ms, core::time_point{}));
  elastic::stored_item out{row, elastic::moment_after(at.now, granted - at.wall)};
  out.lease = std::clamp(row.lease, core::milliseconds{0}, elastic::lease_max);
  return out;
}

void job_coordination::restore_item(const elastic::item_row& row, job_moment at) {
  auto& one = items_.add(row.item);
  one.state = elastic::restore(stored_form(row, at), scene(row.item, at));
  // The row names the fire of its run. All fires since then have missed the item: the last one is made up for (I4).
  // The marks of a large job are more than one transaction has: a node may have died before the rest.
  const bool is_large = static_cast<std::size_t>(job_->what.total) > elastic::fire_items_max;
  const bool may_lack_mark = is_large && rules_.misfire && rules_.enabled && !row.disabled && !row.surplus
                             && core::number(row.item) >= 0 && row.state == elastic::stored_item_state::open;
  const bool is_request = core::number(row.cause.fire.request) != 0;
  if ((row.missed && is_request) || ((row.missed || may_lack_mark) && schedule_.last > row.cause.fire.at)) {
    one.state.missed = true;
    one.state.missed_fire = {schedule_.last, elastic::run_source::normal, {}};
  }
  one.stored_missed = row.missed;
  one.cancel_run = row.cancel_run;
  count_run(one.state, true);
  if (one.state.state != elastic::item_state::idle)
    busy_.insert(row.item);
  count_item(row.item, one);
  if (elastic::is_open(one.state.state))
    ask(one.state.host);
  keep_due(row.item, one);
}

// Items whose grants were to follow the transaction of a large fire: the fire is made up for. The rows do not have the mark.
void job_coordination::owe_rest(const elastic::unfinished_fire& fire, const std::vector<elastic::item_row>& rows, job_moment at) {
  const std::set<item_number> rest{fire.items.begin(), fire.items.end()};
  for (auto row : rows) {
    if (!rest.contains(row.item) || row.state != elastic::stored_item_state::idle || row.missed || row.disabled || row.surplus)
      continue;
    row.missed = true;
    row.cause = {elastic::run_source::misfire, fire.key};
    restore_item(row, at);
    items_.at(row.item).stored_missed = false;
  }
}

void job_coordination::load(elastic::adopted_job&& stored, schedule_rule rule, job_moment at) {
  // Cancels by a time limit are in no row.
  std::vector<std::pair<item_number, elastic::event::cancelled>> cancels;
  for (const auto which : busy_)
    if (const auto& one = items_.at(which).state; one.cancel != elastic::cancel_reason::none && elastic::is_open(one.state))
      cancels.push_back({which, {one.cancel, one.run}});
  forget();
  if (const auto sound = elastic::check(stored); !sound) {
    out_.problems.push_back("invalid rows, the job does not run: " + sound.error().context);
    job_.reset();
    return;
  }
  fresh_ = true;
  alarms_.load(stored.alarmed);
  phase_.hosts_expected_until = at.now + host_patience;
  take_definition(std::move(stored.job), std::move(stored.disabled_servers), std::move(rule));
  set_rules(at.wall);
  check_times(at);
  for (auto& [request, param] : stored.params)
    requests_.taken.emplace(request, std::move(param));
  items_.reserve(stored.items.size());
  for (const auto& row : stored.items)
    restore_item(row, at);
  if (auto lack = elastic::missing_rows(stored); !lack.empty())
    out_.problems.push_back(std::move(lack));
  if (stored.unfinished && rules_.misfire)
    owe_rest(*stored.unfinished, stored.items, at);
  for (auto& cursor : stored.cursors)
    cursors_[cursor.item].value = std::move(cursor.value);
  if (stored.plan) {
    plan_.version = stored.plan->version;
    if (auto known = elastic::item_plan::decode(stored.plan->total, stored.plan->assignment)) {
      plan_.plan = std::move(*known);
      plan_.stored = true;
    }
  }
  restore_barriers(stored, at);
  take_inbox(std::move(stored.inbox), at);
  for (const auto& [which, event] : cancels)
    if (const auto* found = items_.find(which); found != nullptr && found->state.run == *event.run
                                               && elastic::is_open(found->state.state))
      apply(which, event, at);
  // An edit may have come while no node coordinated the job.
  drop_unwanted(!rules_.misfire, !rules_.failover, at);
  change_items(stored, at);
  if (hosts_.has_view())
    replan(at);
  obey_drains(at);
  for (const auto& request : stored.requests) {
    // Known above by the parameter of its open runs; what it owes to other items has not begun.
    requests_.taken.erase(request.id);
    start_request(request, at);
  }
  settle(at);
  fresh_ = !hosts_.has_view();
}

void job_coordination::change(elastic::adopted_job&& stored, schedule_rule rule, job_moment at) {
  if (!job_ && !phase_.ended && !phase_.releasing)
    return load(std::move(stored), std::move(rule), at);
  if (is_idle_now())
    return;
  if (!elastic::check(stored)) {
    phase_.reload = true;
    return;
  }
  if (fire_) {
    phase_.change_waits = true;
    return;
  }
  const auto before = job_;
  const auto known = schedule_;
  take_definition(std::move(stored.job), std::move(stored.disabled_servers), std::move(rule));
  // Without an edit only this coordination moves the schedule, and what was read may be older than its last move.
  if (schedule_.revision == known.revision)
    schedule_.next = known.next;
  set_rules(at.wall);
  check_times(at);
  for (const auto& row : stored.items)
    if (!items_.contains(row.item))
      restore_item(row, at);
  change_items(stored, at);
  take_inbox(std::move(stored.inbox), at);
  const auto& was = before->what.options;
  drop_unwanted(was.misfire && !rules_.misfire, was.failover && !rules_.failover, at);
  replan(at);
  obey_drains(at);
  for (const auto& request : stored.requests)
    start_request(request, at);
  settle(at);
}

// Runs that the job does not owe any more.
void job_coordination::drop_unwanted(bool compensations, bool takeovers, job_moment at) {
  for (const auto which : busy_items()) {
    if (compensations)
      apply(which, elastic::event::misfire_off{}, at);
    if (takeovers)
      apply(which, elastic::event::failover_off{}, at);
  }
}

// Flags of operators, the number of items, and the status.
void job_coordination::change_items(const elastic::adopted_job& stored, job_moment at) {
  for (const auto& row : stored.items) {
    auto* found = items_.find(row.item);
    if (found == nullptr)
      continue;
    found->cancel_run = row.cancel_run;
    obey_cancel(row.item, at);
    if (core::number(row.item) < 0)
      continue;
    if (found->state.disabled != row.disabled)
      apply(row.item, elastic::event::disabled_set{row.disabled}, at);
    const bool surplus = row.surplus || core::number(row.item) >= job_->what.total;
    if (surplus || found->state.surplus)
      apply(row.item, elastic::event::surplus_set{surplus}, at);
  }
  if (!rules_.enabled)
    for (const auto which : busy_items())
      apply(which, elastic::event::job_off{}, at);
}

// -- time and results ------------------------------------------------------------------------------------------------------

bool job_coordination::take_wake() {
  const bool is_woken = hosts_.take_wake();
  if (is_idle_now()) {
    if (is_woken)
      hosts_.relay_slots();
    return false;
  }
  slot_freed_ = slot_freed_ || is_woken;
  return true;
}

void job_coordination::pass_time(job_moment at) {
  if (!take_wake())
    return;
  if (std::exchange(schedule_.seen, at.wall) > at.wall || counts_.far_ahead > 0)
    check_times(at);
  if (plan_.quiet_at && std::min(*plan_.quiet_at, plan_.latest) <= at.now)
    replan(at);
  fire_due(at);
  while (!dues_.empty() && dues_.begin()->first <= at.now) {
    const auto which = dues_.begin()->second;
    const auto before = dues_.begin()->first;
    apply(which, elastic::event::time_passed{}, at);
    if (!dues_.empty() && dues_.begin()->second == which && dues_.begin()->first == before) {
      dues_.erase(dues_.begin()); // nothing changed: no busy loop
      items_.at(which).due.reset();
    }
  }
  pass_barrier_time(at);
  expire_questions(at);
  settle(at);
}

// Consequences that wait until an input is handled.
void job_coordination::settle(job_moment at) {
  settle_asks(at);
  if (std::exchange(slot_freed_, false)) {
    offer(at);
    hosts_.relay_slots();
  }
  start_hooks(at);
  settle_asks(at);
  if (busy_.empty())
    hosts_.end_with_list();
}

void job_coordination::release(job_moment at) {
  // Grants whose write is under way still leave.
  if (!job_ || (phase_.reload && writes_.under_way.empty() && writes_.next.empty())) {
    phase_.ended = true;
    return;
  }
  for (const auto which : busy_items())
    apply(which, elastic::event::slot_released{}, at);
  phase_.releasing = true;
}

job_output job_coordination::take_output(job_moment at) {
  std::size_t room = 0;
  for (auto& [op, note] : writes_.next) {
    const auto size = items_in(op);
    if (out_.writes.empty() || size > room) {
      out_.writes.push_back({++writes_.last_number, {}});
      room = writes_per_message;
    }
    room -= std::min(size, room);
    writes_.under_way[writes_.last_number].push_back(std::move(note));
    out_.writes.back().ops.push_back(std::move(op));
  }
  writes_.next.clear();
  out_.sends = mail_.take();
  if (!is_idle_now() && !rows_.is_reading && rows_.not_before <= at.now)
    std::erase_if(rows_.wanted, [&](const auto& each) {
      const auto& [which, not_before] = each;
      const auto* found = items_.find(which);
      if (found == nullptr)
        return true;
      if (found->writes != 0 || not_before > at.now)
        return false;
      rows_.being_read[which] = found->state.writes;
      out_.rereads.push_back(which);
      return true;
    });
  rows_.is_reading = rows_.is_reading || !out_.rereads.empty();
  if (counts_.wanted == 0)
    alarms_.none_waits();
  if (writes_.under_way.empty() && phase_.releasing)
    phase_.ended = true;
  if (writes_.under_way.empty() && phase_.reload && !phase_.releasing && !std::exchange(phase_.reload_asked, true))
    out_.reload = true;
  // A reading is compared with the number of an item's writes, which a compact item does not have.
  if (rows_.wanted.empty() && !rows_.is_reading)
    items_.compact();
  out_.ended = phase_.ended;
  out_.items = counts_;
  return std::exchange(out_, {});
}

std::optional<job_coordination::steady_time> job_coordination::next_call(job_moment at) const {
  if (is_idle_now())
    return std::nullopt;
  std::optional<steady_time> earliest;
  const auto add = [&](steady_time when) { earliest = earliest ? std::min(*earliest, when) : when; };
  if (schedule_.next && schedule_.rule && is_on() && !fire_)
    add(std::max(elastic::moment_after(at.now, *schedule_.next - at.wall),
                 waits_for_hosts(at) ? phase_.hosts_expected_until : steady_time::min()));
  if (!dues_.empty())
    add(dues_.begin()->first);
  if (plan_.quiet_at)
    add(std::min(*plan_.quiet_at, plan_.latest));
  for (const auto& [fire, machine] : once_.barriers)
    if (const auto due = machine.due_at())
      add(*due);
  for (const auto& [number, asked] : inventories_.questions)
    add(asked.asked_at + inventory_limit);
  for (const auto& [which, not_before] : rows_.wanted)
    if (const auto earliest_read = std::max(not_before, rows_.not_before); earliest_read > at.now)
      add(earliest_read);
  return earliest;
}

} // namespace ringmaster::actors
