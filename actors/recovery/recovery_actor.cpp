#include "actors/recovery/recovery_actor.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "actors/next_tick.hpp"
#include "actors/store/store_access.hpp"
#include "core/run/execution_state.hpp"
#include "core/run/trigger_note.hpp"

namespace ringmaster::actors {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds recovery_tick_period{100};
/// Interval of the search for orphaned claims of fenced peers.
constexpr milliseconds adopt_period{500};
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
    runs_{places(settings.trigger)} {}

protocol::recovery_actor::behavior_type recovery_actor_state::make_behavior() {
  next_tick_ = steady_now();
  arm();
  return {
    [this](protocol::unknown_batch& batch) { take(std::move(batch)); },
    [this](const protocol::stray_claims& claims) { take(claims); },
    [this](const protocol::incarnation_change& change) { change_incarnation(change); },
    [this](protocol::peer_fenced fenced) { take(fenced); },
    [this](protocol::send_results& results) { take(std::move(results)); },
    [this](protocol::tick_atom) { tick(); },
  };
}

// -- intake ----------------------------------------------------------------------------------------------------------------

void recovery_actor_state::change_incarnation(const protocol::incarnation_change& change) {
  ++epoch_;
  life_ = change.life;
  sequence_ = first_sequence;
  adopting_ = looking_ = permitting_ = false;
  runs_.clear();
  permits_.clear();
  forget_reported();
  adopt();
}

void recovery_actor_state::adopt() {
  if (!life_ || adopting_ || runs_.size() >= runs_max)
    return;
  adopting_ = true;
  ask_store<std::vector<core::adopted_run>>(
    self_, storage_,
    [life = *life_, sequence = sequence_](storage::store& store) { return store.firings().adopt(life, sequence, adopt_limit); },
    [this, epoch = epoch_](core::result<std::vector<core::adopted_run>>&& runs) {
      if (epoch == epoch_)
        adopted(std::move(runs));
    });
}

void recovery_actor_state::adopted(core::result<std::vector<core::adopted_run>>&& runs) {
  adopting_ = false;
  next_adopt_ = steady_now() + (std::exchange(adopt_again_, false) ? milliseconds{0} : adopt_period);
  if (!runs) {
    // Uses the same number again: it finds the claims adopted by a transaction whose answer was lost.
    next_adopt_ = steady_now() + store_retry;
    return;
  }
  std::map<std::int64_t, std::uint32_t> opened;
  for (const auto& run : *runs) {
    sequence_ = std::max(sequence_, run.claim + 1);
    if (take(run))
      ++opened[run.claim];
  }
  if (opened.empty()) {
    if (next_adopt_ <= steady_now())
      hurry();
    return;
  }
  log_->info("recovery: adopted {} runs in {} claims of earlier incarnations", runs->size(), opened.size());
  add(metrics_.adopted, runs->size());
  protocol::send(self_, storage_, protocol::claims_opened{{opened.begin(), opened.end()}});
  hurry();
  adopt();
}

// A search that is under way may have started before the fence.
void recovery_actor_state::take(protocol::peer_fenced) {
  adopt_again_ = adopting_;
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
  if (!life_)
    return;
  std::vector<std::int64_t> all;
  std::vector<std::int64_t> never_sent;
  for (const auto& claim : claims.items) {
    all.push_back(claim.sequence);
    if (claim.never_sent)
      never_sent.push_back(claim.sequence);
  }
  ask_store<std::vector<core::stray_run>>(
    self_, storage_, [life = *life_, all](storage::store& store) { return store.maintenance().stray_runs(life, all); },
    [this, never_sent, epoch = epoch_](const core::result<std::vector<core::stray_run>>& strays) {
      if (strays && epoch == epoch_)
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
    log_->warn("recovery: job {} run {}: this node claimed it and then lost track of it; it is now {}", core::number(run.job),
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
    reported_.push_back({.run = std::move(run), .job = job, .sent = true, .first_error = std::move(error),
                         .repeated = repeated, .known_at = clock_.at(t), .due = t + settings_.trigger.settle});
  }
  if (!life_)
    return forget_reported(); // their claims belong to an earlier incarnation of this node: the next one adopts them
  admit();
}

void recovery_actor_state::admit() {
  protocol::slot_release freed;
  for (; !reported_.empty() && runs_.size() < runs_max; reported_.pop_front()) {
    auto& reported = reported_.front();
    freed.slots.add(reported.run.plan);
    if (auto* known = runs_.find(reported.run.id)) { // its claim was adopted before the run was reported
      known->sent = true;
      known->repeated = reported.repeated;
      known->first_error = std::move(reported.first_error);
    } else {
      runs_.add(std::move(reported));
    }
  }
  if (!freed.slots.empty())
    protocol::send(self_, pool_, freed);
}

void recovery_actor_state::forget_reported() {
  protocol::slot_release freed;
  for (const auto& reported : reported_)
    freed.slots.add(reported.run.plan);
  reported_.clear();
  if (!freed.slots.empty())
    protocol::send(self_, pool_, freed);
}

void recovery_actor_state::tick() {
  if (steady_now() < next_tick_)
    return;
  arm();
  metrics_.undecided->value(static_cast<std::int64_t>(runs_.size() + reported_.size()));
  if (!life_)
    return;
  if (steady_now() >= next_adopt_)
    adopt();
  for (auto id : runs_.overdue_sends(steady_now()))
    give_up(*runs_.find(id), std::string{"no answer to "} + sending_of(*runs_.find(id)));
  go_on();
}

// -- verdicts --------------------------------------------------------------------------------------------------------------

void recovery_actor_state::succeed(unknown_run& run, const std::string& why) {
  log_->info("job={} run={} delivered after all: {}", core::number(run.job), core::number(run.run.id), why);
  metrics_.known->inc();
  auto message = run.first_error.empty() ? std::string{} : why + "; the first sending: " + run.first_error;
  verdicts_.push_back({run.run.id, run.run.claim, run.run.plan.spec, core::success_code, std::move(message), false});
  runs_.erase(run.run.id);
}

void recovery_actor_state::give_up(unknown_run& run, const std::string& why) {
  finish(run, core::failure_code, std::string{core::unknown_delivery} + why, true);
}

void recovery_actor_state::finish(unknown_run& run, std::int32_t code, std::string message, bool delivery_unknown) {
  if (!run.first_error.empty())
    message += "; the first sending: " + run.first_error;
  log_->warn("job={} run={} given up: {}", core::number(run.job), core::number(run.run.id), message);
  (delivery_unknown ? metrics_.given_up : metrics_.failed)->inc();
  verdicts_.push_back({run.run.id, run.run.claim, run.run.plan.spec, code, std::move(message), delivery_unknown});
  runs_.erase(run.run.id);
}

void recovery_actor_state::flush() {
  if (!verdicts_.empty())
    protocol::send(self_, storage_, protocol::trigger_results{std::exchange(verdicts_, {})});
}

void recovery_actor_state::arm() {
  next_tick_ = next_tick(next_tick_, runs_.size() > 0 ? recovery_tick_period : adopt_period, steady_now());
  protocol::send_at(self_, protocol::recovery_actor{self_}, next_tick_, protocol::tick_atom{});
}

std::chrono::milliseconds recovery_actor_state::patience() const {
  // The link's own limits end first; the wait for a free connection is added.
  return settings_.trigger.connect_timeout + settings_.trigger.request_timeout + std::chrono::seconds{2};
}

} // namespace ringmaster::actors
