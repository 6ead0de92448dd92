#include "actors/firing/reservation_actor.hpp"

#include <utility>

#include "actors/firing/schedule_metrics.hpp"
#include "actors/metrics.hpp"
#include "actors/next_tick.hpp"
#include "storage/reservations.hpp"

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

// Time for which the key of an instant prevents a second reservation (firing protocol, S5).
constexpr auto remembered = 10s;
constexpr auto forget_every = 1s;
constexpr std::size_t forget_max = 5000;
// Longest time that a graceful stop waits for a Java admin that plans.
constexpr auto put_back_limit = 5s;

core::result<storage::reservation_store*> reservations_of(storage::store& store) {
  if (auto* found = store.reservations())
    return found;
  return core::fail(core::errc::internal, "this database has no schedule lock");
}

} // namespace

reservation_actor_state::reservation_actor_state(protocol::reservation_actor::pointer self, reservation_partners partners,
                                                 config::schedule_settings settings,
                                                 std::shared_ptr<const protocol::send_gate> gate, protocol::wall_clock clock,
                                                 std::function<std::int64_t()> boot, logger log)
  : self_{self},
    partners_{std::move(partners)},
    settings_{settings},
    gate_{std::move(gate)},
    clock_{std::move(clock)},
    boot_{std::move(boot)},
    log_{std::move(log)},
    reserved_count_{make_counter(self->system(), "instants-reserved", "Instants reserved alongside Java admins.")},
    doubles_count_{make_counter(self->system(), "reservations-refused",
                                "Instants that were put back and had been reserved before.")},
    dropped_count_{make_counter(self->system(), "firings-dropped-by-misfire",
                                "Instants dropped by the misfire policy DO_NOTHING.")},
    merged_count_{make_merged_counter(self->system())} {}

protocol::reservation_actor::behavior_type reservation_actor_state::make_behavior() {
  return {
    [this](const protocol::incarnation_change& change) { change_incarnation(change); },
    [this](protocol::finish_reserved) { return finish(); },
    [this](protocol::stop_request) { return stop(); },
    [this](protocol::tick_atom) { tick(); },
  };
}

void reservation_actor_state::change_incarnation(const protocol::incarnation_change& change) {
  incarnation_ = change.mode == core::cluster_mode::shared ? change.life : std::nullopt;
  next_ = self_->clock().now();
  if (incarnation_)
    tell_unplanned();
  reserve();
}

// Logged once for each incarnation: the jobs stay unplanned until an operator changes them.
void reservation_actor_state::tell_unplanned() {
  ask_store<std::vector<core::job_id>>(
    self_, partners_.worker,
    [](storage::store& store) { return reservations_of(store).and_then([](auto* found) { return found->unplanned(); }); },
    [this](core::result<std::vector<core::job_id>>&& jobs) {
      if (jobs && !jobs->empty())
        log_->error("not planned: {}", core::options_refused(*jobs));
    });
}

void reservation_actor_state::tick() {
  armed_.reset();
  reserve();
}

void reservation_actor_state::arm(steady when) {
  if (armed_ && *armed_ <= when)
    return;
  armed_ = when;
  protocol::send_at(self_, protocol::reservation_actor{self_}, when, protocol::tick_atom{});
}

void reservation_actor_state::reserve() {
  if (!incarnation_ || busy_ || finishing_ || stopping_)
    return;
  const auto t = self_->clock().now();
  if (t < next_)
    return arm(next_);
  if (!gate_->open_at(incarnation_->incarnation, boot_())) {
    next_ = t + reserve_every;
    return arm(next_);
  }
  next_ = next_tick(next_, reserve_every, t);
  busy_ = true;
  ask_planner();
}

void reservation_actor_state::ask_planner() {
  protocol::request(self_, partners_.schedule, store_patience, protocol::reserved_backlog_query{})
    .then(
      [this](const protocol::reserved_backlog& backlog) {
        const auto t = self_->clock().now();
        if (backlog.late > late_max) {
          if (t >= strained_until_)
            log_->warn("claims are {} ms late: no more instants are reserved until they catch up", backlog.late.count());
          strained_until_ = t + strained_for;
          return rest();
        }
        reserve_now(t < strained_until_ ? strained_horizon : core::reserve_window{}.horizon);
      },
      [this](const caf::error&) { rest(); });
}

// Ends a round without a reservation.
void reservation_actor_state::rest() {
  busy_ = false;
  if (stopping_)
    return put_back();
  if (finishing_)
    return report_finished();
  if (self_->clock().now() >= next_forget_)
    return forget_old();
  reserve();
}

void reservation_actor_state::reserve_now(core::milliseconds horizon) {
  if (!incarnation_ || finishing_ || stopping_)
    return rest();
  core::reserve_window window{.now = clock_.at(self_->clock().now()), .horizon = horizon,
                              .misfire_after = settings_.misfire_after, .jobs_max = settings_.claim_rows_max};
  ask_store<core::reserve_outcome>(
    self_, partners_.worker,
    [incarnation = *incarnation_, window](storage::store& store) {
      return reservations_of(store).and_then([&](auto* found) { return found->reserve(incarnation, window); });
    },
    [this](core::result<core::reserve_outcome>&& outcome) { take(std::move(outcome)); });
}

void reservation_actor_state::take(core::result<core::reserve_outcome>&& outcome) {
  busy_ = false;
  const auto t = self_->clock().now();
  if (outcome) {
    if (std::exchange(troubled_, false))
      log_->info("reserving instants works again");
    if (outcome->more)
      next_ = t;
    tell(*outcome);
    // The intents are durable: any node of the cluster may claim them, this one first.
    if (!outcome->intents.empty())
      protocol::send(self_, partners_.schedule, protocol::intent_batch{std::move(outcome->intents)});
  } else if (outcome.error().code != core::errc::fenced && !std::exchange(troubled_, true)) {
    log_->warn("cannot reserve instants: {}", outcome.error().context);
  }
  rest();
}

void reservation_actor_state::tell(const core::reserve_outcome& outcome) {
  reserved_count_->inc(static_cast<std::int64_t>(outcome.intents.size()));
  doubles_count_->inc(static_cast<std::int64_t>(outcome.doubles));
  dropped_count_->inc(static_cast<std::int64_t>(outcome.dropped));
  merged_count_->inc(static_cast<std::int64_t>(outcome.merged));
  if (outcome.doubles > 0)
    log_->warn("{} instants had been reserved before: a Java console saved an old row; they do not fire again",
               outcome.doubles);
  for (const auto& job : outcome.stopped)
    if (job.reason.empty())
      log_->warn("job={} stopped: its schedule never fires again", core::number(job.job));
    else
      log_->error("job={} stopped: it cannot be planned: {}", core::number(job.job), job.reason);
}

void reservation_actor_state::forget_old() {
  busy_ = true;
  ask_store<std::size_t>(
    self_, partners_.worker,
    [before = clock_.at(self_->clock().now()) - remembered](storage::store& store) {
      return reservations_of(store).and_then([&](auto* found) { return found->forget(before, forget_max); });
    },
    [this](core::result<std::size_t>&& gone) {
      busy_ = false;
      // A backlog is removed step by step between reservations.
      const auto t = self_->clock().now();
      next_forget_ = gone && *gone == forget_max ? t : t + forget_every;
      if (stopping_)
        return put_back();
      if (finishing_)
        return report_finished();
      reserve();
    });
}

caf::result<void> reservation_actor_state::finish() {
  auto promise = self_->make_response_promise<void>();
  finished_.push_back(promise);
  finishing_ = true;
  if (!busy_)
    report_finished();
  return promise;
}

void reservation_actor_state::report_finished() {
  for (auto& promise : std::exchange(finished_, {}))
    promise.deliver();
}

caf::result<void> reservation_actor_state::stop() {
  auto promise = self_->make_response_promise<void>();
  stopped_.push_back(promise);
  if (!std::exchange(stopping_, true) && !busy_)
    put_back();
  return promise;
}

void reservation_actor_state::put_back() {
  auto incarnation = std::exchange(incarnation_, std::nullopt);
  if (!incarnation)
    return report_stopped();
  ask_store<std::size_t>(
    self_, partners_.worker,
    [incarnation = std::move(*incarnation)](storage::store& store) {
      return reservations_of(store).and_then([&](auto* found) { return found->put_back(incarnation); });
    },
    [this](core::result<std::size_t>&& count) {
      if (!count)
        log_->warn("reserved instants stay with this cluster, they could not be put back: {}", count.error().context);
      else if (*count > 0)
        log_->info("returned {} reserved instants: any node or Java admin may fire them", *count);
      report_stopped();
    },
    put_back_limit);
}

void reservation_actor_state::report_stopped() {
  report_finished();
  for (auto& promise : std::exchange(stopped_, {}))
    promise.deliver();
}

} // namespace ringmaster::actors
