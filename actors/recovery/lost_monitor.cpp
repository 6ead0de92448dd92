#include "actors/recovery/lost_monitor.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "actors/metrics.hpp"
#include "actors/next_tick.hpp"

namespace ringmaster::actors {

namespace {

constexpr std::chrono::milliseconds lost_tick_period{500};
/// Runs of a returned executor that are older are found by the walk.
constexpr auto search_back = core::lost_age_min + std::chrono::minutes{1};

} // namespace

lost_monitor_state::lost_monitor_state(protocol::lost_monitor::pointer self, lost_partners partners, lost_settings settings,
                                       protocol::wall_clock clock, logger log)
  : self_{self},
    completion_{std::move(partners.completion)},
    pool_{std::move(partners.pool)},
    store_{self, {.storage = {}, .queries = std::move(partners.queries)}},
    settings_{settings},
    clock_{std::move(clock)},
    log_{std::move(log)},
    lost_count_{make_counter(self->system(), "runs-lost", "Runs whose result never came.")} {}

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
  set_duty(false); // the slots of the new incarnation follow
}

void lost_monitor_state::change_slots(const protocol::slot_change& change) { set_duty(alive_ && change.slots.test(0)); }

void lost_monitor_state::set_duty(bool on) {
  if (std::exchange(duty_, on) == on)
    return;
  store_.change();
  runs_.clear();
  suspects_.clear();
  returned_.clear();
  silent_until_.clear();
  lost_.clear();
  looking_ = naming_ = false;
  walk_.restart(steady_now());
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
  begin_walk();
  for (const auto& address : suspects_.take_due(steady_now()))
    knock(address);
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

// -- executors under suspicion ---------------------------------------------------------------------------------------------

// An executor that was restarted quickly leaves the list and comes back, or never leaves it; in both cases its memory is lost.
void lost_monitor_state::know(std::shared_ptr<const protocol::registry_view> view) {
  for (const auto& address : executors_.update(std::move(view)))
    suspect(address);
  for (const auto& address : executors_.listed())
    if (suspects_.contains(address))
      suspect(address);
}

void lost_monitor_state::hear(const protocol::executor_update& update) {
  silent_until_.erase(update.address);
  suspect(update.address);
}

void lost_monitor_state::suspect(const std::string& address) {
  if (duty_ && !address.empty())
    suspects_.add(address, steady_now());
}

void lost_monitor_state::knock(const std::string& address) {
  auto answer = [this, address, epoch = store_.epoch()](bool answered) {
    if (epoch == store_.epoch())
      knocked(address, answered);
  };
  protocol::request(self_, pool_, patience(), protocol::link_query{address})
    .then(
      [this, answer](const protocol::link_handle& found) {
        protocol::request(self_, found.link, patience(), protocol::probe_request{})
          .then([answer](const protocol::probe_reply& reply) { answer(reply.code != 0); },
                [answer](const caf::error&) { answer(false); });
      },
      [answer](const caf::error&) { answer(false); });
}

void lost_monitor_state::knocked(const std::string& address, bool answered) {
  if (!suspects_.take_answer(address, answered, steady_now()))
    return;
  returned_.add(address);
  silent_until_.erase(address);
  runs_.wake(address, steady_now());
  walk_.hurry(steady_now());
  go_on();
}

// Most executors that leave have announced it and have no open run: they need no log line.
void lost_monitor_state::name_silent() {
  if (naming_)
    return;
  core::open_search wanted;
  wanted.addresses = suspects_.take_unnamed(returned_executors::per_search_max, steady_now());
  if (wanted.addresses.empty())
    return;
  naming_ = true;
  store_.read<std::set<std::string>>(
    [wanted = std::move(wanted), from = now() - search_back](storage::store& store) mutable {
      return addresses_of_open(store, std::move(wanted), from);
    },
    [this](const core::result<std::set<std::string>>& found) {
      naming_ = false;
      if (found)
        for (const auto& address : *found)
          log_->info("{} may have died: it does not answer, and runs that it accepted have no result yet", address);
    });
}

void lost_monitor_state::begin_search() {
  if (!returned_.begin())
    return;
  store_.read<core::log_range>([from = now() - search_back](storage::store& store) { return log_since(store, from); },
                               [this](const core::result<core::log_range>& range) {
                                 if (!range)
                                   return search_failed();
                                 returned_.begun(*range);
                                 go_on();
                               });
}

// A search waits while no more runs fit, so that the open runs of one executor are examined in limited parts.
void lost_monitor_state::search_on() {
  if (runs_.full())
    return;
  const auto wanted = returned_.next();
  if (!wanted)
    return begin_search();
  store_.read<found_runs>([wanted = *wanted](storage::store& store) { return find_open_runs(store, wanted); },
                          [this](core::result<found_runs>&& found) {
                            if (!found)
                              return search_failed();
                            returned_.found(found->page.through);
                            take(std::move(*found));
                            go_on();
                          });
}

void lost_monitor_state::search_failed() {
  for (const auto& address : returned_.failed())
    suspect(address);
}

// -- old runs --------------------------------------------------------------------------------------------------------------

void lost_monitor_state::begin_walk() {
  if (!walk_.begin(steady_now()))
    return;
  store_.read<core::log_range>(
    [before = now() - core::lost_age_min](storage::store& store) { return log_before(store, before); },
    [this](const core::result<core::log_range>& range) {
      if (!range)
        return walk_.failed(steady_now() + store_retry);
      walk_.begun(*range, steady_now());
      go_on();
    });
}

void lost_monitor_state::walk_on() {
  if (runs_.full())
    return;
  const auto section = walk_.next(steady_now());
  if (!section)
    return;
  store_.read<found_runs>([range = *section](storage::store& store) { return find_open_runs(store, {range, {}}); },
                          [this](core::result<found_runs>&& found) {
                            if (!found)
                              return walk_.failed(steady_now() + store_retry);
                            walk_.walked(found->page);
                            take(std::move(*found));
                            go_on();
                          });
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
