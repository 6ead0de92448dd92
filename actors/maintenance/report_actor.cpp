#include "actors/maintenance/report_actor.hpp"

#include <algorithm>
#include <utility>

#include "actors/next_tick.hpp"

namespace ringmaster::actors {

namespace {

using std::chrono::milliseconds;

/// Tick while there is work; a pause between two sections, so that reading a long log leaves the database to others.
constexpr milliseconds busy_tick{20};
constexpr milliseconds idle_tick{1'000};
constexpr std::chrono::minutes pass_period{1};
constexpr milliseconds store_retry{5'000};
/// Ids grow with time, except for runs that were late or claimed ahead.
constexpr std::chrono::hours id_disorder{1};
/// Interval of the check of the age limit, which moves on at midnight.
constexpr std::chrono::minutes purge_look{1};
/// Interval of the search for dangling rows, number of rows removed at a time, and the pause between two times.
constexpr std::chrono::hours orphan_period{24};
constexpr std::size_t orphans_per_step = 500;
constexpr milliseconds orphan_pause{100};
constexpr milliseconds orphan_retry{60'000};
constexpr std::chrono::minutes room_period{1};
/// The corresponding limits for old entries of the audit log.
constexpr std::chrono::hours audit_period{1};
constexpr std::size_t audits_per_step = 200;
constexpr milliseconds audit_pause{200};
constexpr milliseconds audit_retry{60'000};

} // namespace

report_actor_state::report_actor_state(protocol::report_actor::pointer self, leader_workers workers,
                                       config::retention_settings retention, config::elastic_settings elastic,
                                       core::zone schedule_zone, protocol::wall_clock clock, logger log)
  : self_{self},
    store_{self, std::move(workers)},
    retention_{retention},
    zone_{std::move(schedule_zone)},
    clock_{std::move(clock)},
    log_{std::move(log)},
    elastic_history_{self, store_, elastic.history_days, log_} {}

protocol::report_actor::behavior_type report_actor_state::make_behavior() {
  next_tick_ = self_->clock().now();
  arm();
  return {
    [this](const protocol::incarnation_change& change) { change_incarnation(change); },
    [this](const protocol::slot_change& change) { change_slots(change); },
    [this](protocol::tick_atom) { tick(); },
  };
}

void report_actor_state::change_incarnation(const protocol::incarnation_change& change) {
  alive_ = change.life.has_value();
  first_slot_ = false; // the slots of the new incarnation follow
  set_duty(false);
}

void report_actor_state::change_slots(const protocol::slot_change& change) {
  first_slot_ = change.slots.test(0);
  set_duty(alive_ && first_slot_);
}

void report_actor_state::set_duty(bool on) {
  if (std::exchange(duty_, on) == on)
    return;
  store_.change();
  counter_.reset();
  written_.reset();
  counting_ = purging_ = false;
  newest_ = settled_ = {};
  next_pass_ = next_purge_ = next_room_ = next_orphans_ = next_audits_ = self_->clock().now();
  purge_.reset();
  elastic_history_.restart(self_->clock().now());
  if (on)
    log_->info("this node runs the daily report and log retention");
}

void report_actor_state::tick() {
  auto now = self_->clock().now();
  if (now < next_tick_)
    return;
  arm();
  if (!duty_)
    return;
  if (!counting_ && now >= next_pass_)
    begin_count();
  else if (!counting_ && counter_ && counter_->left() > 0 && now >= next_count_)
    count_next();
  if (!purging_ && now >= next_purge_)
    purge_.next() ? purge_next() : begin_purge();
  if (now >= next_room_)
    make_room();
  if (now >= next_orphans_)
    forget_orphans();
  if (now >= next_audits_)
    purge_audits();
  elastic_history_.work(now, clock_.at(now));
}

void report_actor_state::arm() {
  const auto busy = duty_ && ((counter_ && counter_->left() > 0) || purge_.next() || audits_removed_ > 0
                              || elastic_history_.is_walking());
  next_tick_ = next_tick(next_tick_, busy ? busy_tick : idle_tick, self_->clock().now());
  protocol::send_at(self_, protocol::report_actor{self_}, next_tick_, protocol::tick_atom{});
}

// -- report ----------------------------------------------------------------------------------------------------------------

void report_actor_state::begin_count() {
  auto days = core::days_around(clock_.at(self_->clock().now()), zone_);
  if (counter_ && days == days_)
    return begin_pass();
  counting_ = true;
  counter_.reset();
  written_.reset();
  days_ = days;
  store_.read<core::log_id>(
    [from = days[0] - id_disorder](storage::store& store) { return store.maintenance().last_before(from); },
    [this](const core::result<core::log_id>& first) {
      counting_ = false;
      if (!first)
        return count_failed(first.error());
      counter_.emplace(*first);
      begin_pass();
    });
}

void report_actor_state::begin_pass() {
  counting_ = true;
  store_.read<core::log_span>(
    [](storage::store& store) { return store.maintenance().span(); },
    [this](const core::result<core::log_span>& span) { passed_span(span); });
}

void report_actor_state::passed_span(const core::result<core::log_span>& span) {
  counting_ = false;
  if (!span)
    return count_failed(span.error());
  failing_ = false;
  next_pass_ = self_->clock().now() + pass_period;
  settled_ = std::exchange(newest_, span->last);
  counter_->begin_pass(span->last, settled_);
  count_next();
}

void report_actor_state::count_next() {
  auto range = counter_->next();
  if (!range)
    return write_report();
  counting_ = true;
  store_.read<core::day_counts>(
    [range = *range, days = days_](storage::store& store) { return store.maintenance().count_runs(range, days); },
    [this](const core::result<core::day_counts>& counts) {
      counting_ = false;
      if (!counts)
        return count_failed(counts.error());
      counter_->counted(*counts);
      next_count_ = self_->clock().now() + busy_tick;
      if (counter_->left() == 0)
        write_report();
    });
}

void report_actor_state::write_report() {
  const auto& totals = counter_->totals();
  std::vector<core::day_report> days;
  for (std::size_t i = 0; i < core::report_days; ++i)
    if (!written_ || totals[i] != (*written_)[i])
      days.push_back({days_[i], totals[i]});
  if (days.empty())
    return;
  counting_ = true;
  store_.write<void>(
    [days, now = clock_.at(self_->clock().now())](storage::store& store) { return store.maintenance().write_report(days, now); },
    [this, totals](const core::result<void>& done) {
      counting_ = false;
      if (!done)
        return count_failed(done.error());
      written_ = totals;
    });
}

void report_actor_state::count_failed(const core::error& why) {
  next_pass_ = self_->clock().now() + store_retry;
  if (!std::exchange(failing_, true))
    log_->warn("the daily report is late: {}: {}", core::to_string(why.code), why.context);
}

// -- retention -------------------------------------------------------------------------------------------------------------

void report_actor_state::begin_purge() {
  next_purge_ = self_->clock().now() + purge_look;
  if (retention_.days == 0)
    return;
  auto before = core::purge_before(clock_.at(self_->clock().now()), zone_, retention_.days);
  if (!purge_.is_due(before))
    return;
  purging_ = true;
  store_.read<old_runs>(
    [before](storage::store& store) -> core::result<old_runs> {
      auto span = store.maintenance().span();
      if (!span)
        return tl::unexpected<core::error>{std::move(span.error())};
      // Up to the second of `before`, which is removed, too.
      auto last = store.maintenance().last_before(before + std::chrono::seconds{1});
      if (!last)
        return tl::unexpected<core::error>{std::move(last.error())};
      auto settled = store.maintenance().last_before(before - id_disorder);
      if (!settled)
        return tl::unexpected<core::error>{std::move(settled.error())};
      return old_runs{{core::log_id{core::number(span->first) - 1}, *last}, *settled};
    },
    [this, before](const core::result<old_runs>& found) {
      purging_ = false;
      if (!found)
        return;
      purge_.begin(found->range, before, found->settled);
      purge_next();
    });
}

void report_actor_state::purge_next() {
  auto step = purge_.next();
  if (!step)
    return;
  purging_ = true;
  store_.write_much<core::purge_outcome>(
    [step = *step](storage::store& store) { return store.maintenance().purge(step); },
    [this](const core::result<core::purge_outcome>& outcome) { purged(outcome); });
}

void report_actor_state::purged(const core::result<core::purge_outcome>& outcome) {
  purging_ = false;
  if (!outcome) {
    purge_.failed();
    next_purge_ = self_->clock().now() + store_retry;
    return log_->warn("old runs could not be removed now: {}: {}", core::to_string(outcome.error().code),
                      outcome.error().context);
  }
  next_purge_ = self_->clock().now() + purge_.stepped(*outcome);
  if (!purge_.next() && purge_.removed() > 0)
    log_->info("removed {} runs older than {} days", purge_.removed(), retention_.days);
}

void report_actor_state::forget_orphans() {
  next_orphans_ = self_->clock().now() + orphan_period;
  store_.write_much<std::size_t>(
    [](storage::store& store) { return store.maintenance().forget_orphans(orphans_per_step); },
    [this](const core::result<std::size_t>& removed) {
      if (removed && *removed == 0)
        return;
      next_orphans_ = self_->clock().now() + (removed ? orphan_pause : orphan_retry);
      if (!removed)
        log_->warn("dangling rows could not be removed now: {}", removed.error().context);
    });
}

void report_actor_state::purge_audits() {
  next_audits_ = self_->clock().now() + audit_period;
  if (retention_.audit_days == 0)
    return;
  const auto before = clock_.at(self_->clock().now()) - std::chrono::days{static_cast<int>(retention_.audit_days)};
  store_.write_much<std::size_t>(
    [before](storage::store& store) { return store.maintenance().purge_audits(before, audits_per_step); },
    [this](const core::result<std::size_t>& removed) {
      if (!removed) {
        next_audits_ = self_->clock().now() + audit_retry;
        return log_->warn("old entries of the audit log could not be removed now: {}", removed.error().context);
      }
      audits_removed_ += *removed;
      if (*removed == audits_per_step)
        next_audits_ = self_->clock().now() + audit_pause;
      else if (const auto all = std::exchange(audits_removed_, 0); all > 0)
        log_->info("removed {} entries older than {} days from the audit log", all, retention_.audit_days);
    });
}

void report_actor_state::make_room() {
  next_room_ = self_->clock().now() + room_period;
  store_.write_much<void>(
    [](storage::store& store) { return store.maintenance().make_room(); },
    [this](const core::result<void>& made) {
      if (!made && !std::exchange(no_room_, true))
        log_->warn("the log table is no longer partitioned, old runs are removed row by row: {}", made.error().context);
      else if (made)
        no_room_ = false;
    });
}

} // namespace ringmaster::actors
