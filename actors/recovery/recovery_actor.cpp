#include "actors/recovery/recovery_actor.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "actors/next_tick.hpp"

namespace ringmaster::actors {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds recovery_tick_period{100};
/// Maximum of `schedule.claim_ahead`.
constexpr std::chrono::seconds claim_ahead_max{5};

core::claimed_run claimed(const core::adopted_run& adopted) {
  core::claimed_run run;
  run.id = adopted.id;
  run.claim = adopted.claim;
  run.attempt = adopted.attempt;
  run.plan.fire_at = adopted.fire_at;
  run.plan.part = adopted.part;
  run.plan.address = adopted.address;
  run.plan.retry_left = adopted.retry_left;
  run.plan.param = adopted.param;
  return run;
}

recovery_places places(const config::trigger_settings& trigger) {
  constexpr auto quiet = recovery_actor_state::asks_per_quiet_address_max;
  return {recovery_actor_state::asks_max, std::max(trigger.connections_on_demand(), quiet), quiet};
}

} // namespace

recovery_actor_state::recovery_actor_state(protocol::recovery_actor::pointer self, protocol::storage_actor storage,
                                           protocol::trigger_pool pool, recovery_settings settings, protocol::wall_clock clock,
                                           logger log)
  : self_{self},
    storage_{std::move(storage)},
    pool_{std::move(pool)},
    settings_{settings},
    clock_{std::move(clock)},
    log_{std::move(log)},
    metrics_{self->system()},
    runs_{places(settings.trigger)},
    verdicts_{log_, metrics_} {}

protocol::recovery_actor::behavior_type recovery_actor_state::make_behavior() {
  next_tick_ = steady_now();
  arm();
  return {
    [this](protocol::unknown_batch& batch) { take(std::move(batch)); },
    [this](const protocol::stray_claims& claims) { take(claims); },
    [this](const protocol::incarnation_change& change) { change_incarnation(change); },
    [this](protocol::peer_fenced fenced) { take(fenced); },
    [this](const protocol::pending_work_update& update) { take(update); },
    [this](protocol::send_results& results) { take(std::move(results)); },
    [this](protocol::tick_atom) { tick(); },
  };
}

// -- intake ----------------------------------------------------------------------------------------------------------------

void recovery_actor_state::change_incarnation(const protocol::incarnation_change& change) {
  ++epoch_;
  incarnation_ = change.life;
  looking_ = false;
  adoption_.restart();
  gate_.reset();
  runs_.clear();
  permits_.clear();
  release(reported_.drop());
  adopt();
}

void recovery_actor_state::adopt() {
  if (!incarnation_ || runs_.size() >= runs_max || !adoption_.begin())
    return;
  query<std::vector<core::adopted_run>>(
    [incarnation = *incarnation_, sequence = adoption_.sequence()](storage::store& store) {
      return store.firings().adopt(incarnation, sequence, adopt_limit);
    },
    [this](core::result<std::vector<core::adopted_run>>&& runs) { adopted(std::move(runs)); });
}

void recovery_actor_state::adopted(core::result<std::vector<core::adopted_run>>&& runs) {
  if (!runs)
    return adoption_.failed(steady_now() + store_retry);
  adoption_.found(*runs, steady_now());
  std::map<std::int64_t, std::uint32_t> opened;
  for (const auto& run : *runs)
    if (take(run))
      ++opened[run.claim];
  if (opened.empty()) {
    if (adoption_.is_due(steady_now())) // a node was fenced meanwhile
      adopt();
    return;
  }
  log_->info("recovery: adopted {} runs in {} claims of earlier incarnations", runs->size(), opened.size());
  add(metrics_.adopted, runs->size());
  protocol::send(self_, storage_, protocol::claims_opened{{opened.begin(), opened.end()}});
  hurry();
  adopt();
}

void recovery_actor_state::take(protocol::peer_fenced) {
  adoption_.note_fence();
  gate_.reset();
  adopt();
}

void recovery_actor_state::take(const protocol::pending_work_update& update) {
  gate_.take(update.found.has_orphans, update.period, steady_now());
  if (update.found.has_orphans)
    adopt_due();
}

// An adoption without an answer may have been committed: what it adopted is no orphan.
void recovery_actor_state::adopt_due() {
  if (adoption_.is_due(steady_now()) && (adoption_.is_unanswered() || !gate_.skips(steady_now())))
    adopt();
}

// The next search may be far away, because there was nothing to search for until now.
void recovery_actor_state::hurry() {
  const auto soon = steady_now() + recovery_tick_period;
  if (next_tick_ <= soon)
    return;
  next_tick_ = soon;
  protocol::send_at(self_, protocol::recovery_actor{self_}, next_tick_, protocol::tick_atom{});
}

// Counted from the last moment at which the former owner may have begun to send. A fenced incarnation had its deadline at least
// `send_margin` before that; one that was cut short has it at most `dead_after` after its end.
core::milliseconds recovery_actor_state::settle_of(core::incarnation_end ended) const {
  const auto settle = settings_.trigger.settle;
  switch (ended) {
  case core::incarnation_end::ran_out: return std::max(settle - settings_.send_margin, core::milliseconds{0});
  case core::incarnation_end::cut_short: return std::max(settle, settings_.dead_after);
  case core::incarnation_end::sealed: break;
  }
  return settle;
}

bool recovery_actor_state::take(const core::adopted_run& adopted, bool never_sent) {
  if (auto* known = runs_.find(adopted.id); known && known->run.claim != adopted.claim) {
    // Reported before its claim went over to this incarnation: only the claim's new number counts.
    known->run.claim = adopted.claim;
    known->run.attempt = adopted.attempt;
    return true;
  }
  auto t = steady_now();
  // The run may have been claimed ahead of its instant. A clock that was far ahead at that time must not keep it waiting.
  auto not_before = std::min(clock_.when(adopted.fire_at), t + claim_ahead_max);
  return runs_.add({.run = claimed(adopted), .job = adopted.job, .never_sent = never_sent, .known_at = clock_.at(t),
                    .due = std::max(t + (never_sent ? core::milliseconds{0} : settle_of(adopted.ended)), not_before)});
}

void recovery_actor_state::take(const protocol::stray_claims& claims) {
  if (!incarnation_)
    return;
  std::vector<std::int64_t> all;
  std::vector<std::int64_t> never_sent;
  for (const auto& claim : claims.items) {
    all.push_back(claim.sequence);
    if (claim.never_sent)
      never_sent.push_back(claim.sequence);
  }
  query<std::vector<core::stray_run>>(
    [incarnation = *incarnation_, all](storage::store& store) { return store.maintenance().stray_runs(incarnation, all); },
    [this, never_sent](const core::result<std::vector<core::stray_run>>& strays) {
      if (strays)
        take_strays(*strays, never_sent);
    });
}

void recovery_actor_state::take_strays(const std::vector<core::stray_run>& strays, const std::vector<std::int64_t>& never_sent) {
  std::map<std::int64_t, std::uint32_t> opened;
  for (const auto& [run, maybe_sent] : strays) {
    auto unsent =
      !maybe_sent && run.attempt == 0 && std::find(never_sent.begin(), never_sent.end(), run.claim) != never_sent.end();
    if (!take(run, unsent))
      continue;
    log_->warn("job={} run={} this node claimed it and then lost track of it; it is now {}", core::number(run.job),
               core::number(run.id), unsent ? "sent" : "looked up at its executor");
    ++opened[run.claim];
  }
  if (!opened.empty())
    protocol::send(self_, storage_, protocol::claims_opened{{opened.begin(), opened.end()}});
  go_on();
}

void recovery_actor_state::take(protocol::unknown_batch&& batch) {
  auto t = steady_now();
  for (auto& [run, error, repeated] : batch.runs) {
    auto job = run.plan.spec ? run.plan.spec->id : core::job_id{};
    reported_.add({.run = std::move(run), .job = job, .sent = true, .first_error = std::move(error), .repeated = repeated,
                   .known_at = clock_.at(t), .due = t + settings_.trigger.settle});
  }
  // Without an incarnation their claims belong to an earlier one of this node: the next one adopts them.
  release(incarnation_ ? reported_.admit(runs_, runs_max) : reported_.drop());
}

void recovery_actor_state::release(const protocol::slot_release& freed) {
  if (!freed.slots.empty())
    protocol::send(self_, pool_, freed);
}

void recovery_actor_state::tick() {
  if (steady_now() < next_tick_)
    return;
  arm();
  metrics_.undecided->value(static_cast<std::int64_t>(runs_.size() + reported_.size()));
  if (!incarnation_)
    return;
  adopt_due();
  for (auto id : runs_.overdue_sends(steady_now()))
    end(*runs_.find(id), recovery_verdict::unknown(std::string{"no answer to "} + sending_of(*runs_.find(id))));
  go_on();
}

void recovery_actor_state::end(unknown_run& run, recovery_verdict&& verdict) {
  verdicts_.add(run, std::move(verdict));
  runs_.erase(run.run.id);
}

void recovery_actor_state::flush() {
  if (auto results = verdicts_.take(); !results.empty())
    protocol::send(self_, storage_, protocol::trigger_results{std::move(results)});
}

void recovery_actor_state::arm() {
  next_tick_ = next_tick(next_tick_, runs_.size() > 0 ? recovery_tick_period : adoption::period, steady_now());
  protocol::send_at(self_, protocol::recovery_actor{self_}, next_tick_, protocol::tick_atom{});
}

std::chrono::milliseconds recovery_actor_state::patience() const {
  // The link's own limits end first; the wait for a free connection is added.
  return settings_.trigger.connect_timeout + settings_.trigger.request_timeout + std::chrono::seconds{2};
}

} // namespace ringmaster::actors
