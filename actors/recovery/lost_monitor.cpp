#include "actors/recovery/lost_monitor.hpp"

#include <algorithm>
#include <utility>

#include "actors/recovery/lost_queries.hpp"
#include "actors/next_tick.hpp"

namespace ringmaster::actors {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds lost_tick_period{500};
constexpr milliseconds walk_period{60'000};
/// After a walk follows a pause of this multiple of its length, if that is longer than the period. A log with a run that has been
/// open for long then takes 5 % of one connection's time at most.
constexpr int walk_share = 20;

} // namespace

lost_monitor_state::lost_monitor_state(protocol::lost_monitor::pointer self, lost_partners partners, lost_settings settings,
                                       protocol::wall_clock clock, logger log)
  : self_{self},
    partners_{std::move(partners)},
    settings_{settings},
    clock_{std::move(clock)},
    log_{std::move(log)},
    lost_count_{
      self->system().metrics().counter_singleton("ringmaster", "runs-lost", "Runs whose result never came.", "1", true)} {}

protocol::lost_monitor::behavior_type lost_monitor_state::make_behavior() {
  next_tick_ = steady_now();
  arm();
  return {
    [this](const protocol::incarnation_change& change) { change_incarnation(change); },
    [this](const protocol::slot_change& change) { change_slots(change); },
    [this](const protocol::registry_change& change) { know(change.view); },
    [this](const protocol::executor_update& update) { hear(update); },
    [this](protocol::tick_atom) { tick(); },
  };
}

// -- leader task -----------------------------------------------------------------------------------------------------------

void lost_monitor_state::change_incarnation(const protocol::incarnation_change& change) {
  alive_ = change.life.has_value();
  first_slot_ = false; // the slots of the new incarnation follow
  set_duty(false);
}

void lost_monitor_state::change_slots(const protocol::slot_change& change) {
  first_slot_ = change.slots.test(0);
  set_duty(alive_ && first_slot_);
}

void lost_monitor_state::set_duty(bool on) {
  if (std::exchange(duty_, on) == on)
    return;
  ++epoch_;
  runs_.clear();
  suspects_.clear();
  returned_.clear();
  silent_until_.clear();
  lost_.clear();
  search_.reset();
  walk_.reset();
  knocking_ = 0;
  searching_ = walking_ = looking_ = naming_ = false;
  low_water_ = {};
  next_walk_ = steady_now();
  if (on)
    log_->info("this node searches for lost results");
}

void lost_monitor_state::tick() {
  if (steady_now() < next_tick_)
    return;
  arm();
  if (!duty_)
    return;
  std::erase_if(silent_until_, [t = steady_now()](const auto& silent) { return silent.second <= t; });
  if (!walking_ && !walk_ && steady_now() >= next_walk_)
    begin_walk();
  knock();
  name_silent();
  go_on();
}

void lost_monitor_state::go_on() {
  if (!duty_)
    return;
  begin_search();
  search_on();
  walk_on();
  look();
  start_ready();
  flush();
}

void lost_monitor_state::arm() {
  next_tick_ = next_tick(next_tick_, lost_tick_period, steady_now());
  protocol::send_at(self_, protocol::lost_monitor{self_}, next_tick_, protocol::tick_atom{});
}

// -- old runs --------------------------------------------------------------------------------------------------------------

void lost_monitor_state::begin_walk() {
  walking_ = true;
  query<core::log_range>(
    [before = now() - core::lost_age_min](storage::store& store) -> core::result<core::log_range> {
      auto span = store.maintenance().span();
      if (!span)
        return tl::unexpected<core::error>{std::move(span.error())};
      auto last = store.maintenance().last_before(before);
      if (!last)
        return tl::unexpected<core::error>{std::move(last.error())};
      return core::log_range{core::log_id{core::number(span->first) - 1}, *last};
    },
    [this](const core::result<core::log_range>& range) {
      walking_ = false;
      next_walk_ = steady_now() + store_retry;
      if (!range)
        return;
      walk_began_ = steady_now();
      oldest_open_.reset();
      walk_ = core::log_range{std::max(range->after, low_water_), range->through};
      go_on();
    });
}

void lost_monitor_state::walk_on() {
  if (walking_ || !walk_ || runs_.full())
    return;
  if (walk_->after >= walk_->through)
    return end_walk();
  walking_ = true;
  query<found_runs>([range = *walk_](storage::store& store) { return search(store, {range, {}}); },
                    [this](core::result<found_runs>&& found) { walked(std::move(found)); });
}

void lost_monitor_state::walked(core::result<found_runs>&& found) {
  walking_ = false;
  if (!found) {
    walk_.reset();
    next_walk_ = steady_now() + store_retry;
    return;
  }
  if (!oldest_open_ && !found->page.runs.empty())
    oldest_open_ = found->page.runs.front().id;
  walk_->after = found->page.through;
  take(std::move(*found));
  go_on();
}

// A row at (0, 0) may still begin to run. It is below the mark only if it is ten minutes old, and then the sweep for abandoned
// runs takes care of it.
void lost_monitor_state::end_walk() {
  low_water_ = oldest_open_ ? core::log_id{core::number(*oldest_open_) - 1} : std::max(low_water_, walk_->through);
  walk_.reset();
  const auto took = std::chrono::duration_cast<milliseconds>(steady_now() - walk_began_);
  next_walk_ = steady_now() + std::max(walk_period, took * walk_share);
}

core::result<lost_monitor_state::found_runs> lost_monitor_state::search(storage::store& store, const core::open_search& search) {
  auto page = store.maintenance().open_runs(search);
  if (!page)
    return tl::unexpected<core::error>{std::move(page.error())};
  std::vector<core::job_id> jobs;
  for (const auto& run : page->runs)
    jobs.push_back(run.job);
  auto definitions = jobs.empty() ? std::vector<core::scheduled_job>{} : store.firings().read_jobs(jobs);
  if (!definitions)
    return tl::unexpected<core::error>{std::move(definitions.error())};
  found_runs found{std::move(*page), {}};
  for (const auto& job : *definitions)
    found.timeouts.emplace(job.spec->id, std::chrono::seconds{job.spec->timeout_s});
  return found;
}

void lost_monitor_state::take(found_runs&& found) {
  for (auto& run : found.page.runs) {
    const auto job = found.timeouts.find(run.job);
    runs_.add(std::move(run), job == found.timeouts.end() ? std::chrono::seconds{0} : job->second, steady_now());
  }
}

std::chrono::milliseconds lost_monitor_state::patience() const {
  // The link's own limits end first; the wait for a free connection is added.
  return settings_.trigger.connect_timeout + settings_.trigger.request_timeout + std::chrono::seconds{2};
}

} // namespace ringmaster::actors
