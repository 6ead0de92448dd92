#include "actors/store/storage_actor.hpp"

#include <algorithm>
#include <utility>

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

constexpr auto tick_every = 100ms;

} // namespace

storage_actor_state::storage_actor_state(protocol::storage_actor::pointer self, storage_workers workers, std::size_t rows_max,
                                         protocol::wall_clock clock, logger log, std::shared_ptr<marks_keeper> marks)
  : self_{self}, clock_{std::move(clock)}, log_{std::move(log)}, marks_{std::move(marks)}, records_{rows_max}, claims_{log_},
    metrics_{self->system()} {
  auto seat = [this](const protocol::store_worker& worker) -> client& {
    auto found = std::find_if(workers_.begin(), workers_.end(), [&](const client& d) { return d.worker == worker; });
    if (found != workers_.end())
      return *found;
    workers_.push_back(client{.worker = worker});
    return workers_.back();
  };
  seat(workers.claims).takes_claims = true;
  seat(workers.records).takes_records = true;
  seat(workers.control).takes_control = true;
  protocol::send_at(self_, protocol::storage_actor{self_}, steady_now() + tick_every, protocol::tick_atom{});
}

protocol::storage_actor::behavior_type storage_actor_state::make_behavior() {
  return {
    [this](protocol::claim_request& request) {
      claims_.ask(request.batch.sequence);
      requests_.push_back(std::make_shared<protocol::claim_request>(std::move(request)));
      pump();
    },
    [this](protocol::trigger_results& results) {
      take(std::move(results.items));
      pump();
    },
    [this](protocol::callback_batch& batch) { return accept(std::move(batch)); },
    [this](protocol::store_task& task) { return accept(std::move(task)); },
    [this](const protocol::claims_opened& opened) {
      for (auto [claim, runs] : opened.claims)
        claims_.open(claim, runs);
    },
    [this](protocol::store_listener& listener) {
      intents_ = std::move(listener.intents);
      strays_ = std::move(listener.strays);
      ends_ = std::move(listener.ends);
    },
    [this](const protocol::incarnation_change& change) { change_incarnation(change); },
    [this](protocol::status_query) { return status(); },
    [this](const protocol::pending_work_update& update) {
      stray_gate_.take(update.found.has_claims, update.period, steady_now());
    },
    [this](protocol::tick_atom) { tick(); },
  };
}

// Records results under the incarnation that claimed the run. A failure of a run of an earlier incarnation must not count as a
// failure of this one, which may have adopted the run and sent it again.
void storage_actor_state::take(std::vector<core::trigger_result>&& results) {
  for (auto& result : results) {
    if (claims_.is_open(result.claim))
      records_.add(std::move(result));
    else
      records_.add_former(std::move(result));
  }
}

caf::result<protocol::callbacks_stored> storage_actor_state::accept(protocol::callback_batch&& batch) {
  if (batch.items.empty())
    return protocol::callbacks_stored{};
  // The instants of retries and children are computed from this clock.
  if (clock_.in_doubt())
    return protocol::to_caf(protocol::clock_in_doubt());
  if (records_.callbacks() + batch.items.size() > callbacks_max)
    return protocol::to_caf({core::errc::too_large, "too many results are waiting for the database"});
  auto promise = self_->make_response_promise<protocol::callbacks_stored>();
  records_.add(std::move(batch.items), promise);
  pump();
  return promise;
}

caf::result<void> storage_actor_state::accept(protocol::store_task&& task) {
  auto promise = self_->make_response_promise<void>();
  tasks_.add({std::move(task), promise, steady_now()});
  pump();
  return promise;
}

void storage_actor_state::change_incarnation(const protocol::incarnation_change& change) {
  alive_ = change.life.has_value();
  if (!change.life)
    return; // answers of a lost incarnation are still recorded: the store's guards decide
  incarnation_ = *change.life;
  shared_ = change.mode == core::cluster_mode::shared;
  records_.end_incarnation();
  claims_.end_incarnation();
  stray_gate_.reset();
}

void storage_actor_state::tick() {
  records_.release_held(steady_now());
  pump();
  metrics_.show({requests_.size(), records_.triggers(), records_.callbacks(), claims_.open_claims()});
  look_for_strays();
  protocol::send_at(self_, protocol::storage_actor{self_}, steady_now() + tick_every, protocol::tick_atom{});
}

void storage_actor_state::measure(store_work what, std::size_t rows, steady since, const core::error* failure) const {
  metrics_.done(what, rows, steady_now() - since);
  if (failure)
    metrics_.failed(what, failure->code);
}

void storage_actor_state::pump() {
  for (auto& at : workers_)
    if (!at.busy)
      give_work(at);
}

void storage_actor_state::give_work(client& at) {
  if (at.takes_control)
    if (auto task = tasks_.next(steady_now()))
      return run_control(at, std::move(*task));
  if (at.back_off.is_over(steady_now())) {
    // In turns, so that neither a burst of claims nor a flood of results starves the other.
    auto claims_first = at.last == work::record;
    if (claims_first ? start_claim(at) || start_record(at) : start_record(at) || start_claim(at))
      return;
  }
  if (at.takes_control)
    if (auto task = tasks_.next_patient())
      run_control(at, std::move(*task));
}

void storage_actor_state::run_control(client& at, waiting_store_task&& next) {
  at.busy = true;
  auto index = static_cast<std::size_t>(&at - workers_.data());
  protocol::request(self_, at.worker, store_patience, std::move(next.task))
    .then(
      [this, index, promise = next.promise, since = steady_now()]() mutable {
        measure(store_work::control, 1, since, nullptr);
        promise.deliver();
        workers_[index].busy = false;
        pump();
      },
      [this, index, promise = next.promise](caf::error& reason) mutable {
        promise.deliver(std::move(reason));
        workers_[index].busy = false;
        pump();
      });
}

bool storage_actor_state::start_claim(client& at) {
  if (!at.takes_claims || requests_.empty())
    return false;
  auto next = std::move(requests_.front());
  requests_.pop_front();
  at.last = work::claim;
  run_claim(at, std::move(next));
  return true;
}

void storage_actor_state::run_claim(client& at, claim_request_ptr request) {
  at.busy = true;
  const auto index = static_cast<std::size_t>(&at - workers_.data());
  ask_store<core::claim_outcome>(
    self_, at.worker, [request, marks = marks_, t = now()](auto& store) { return claim(store, request->batch, t, marks.get()); },
    [this, index, request, since = steady_now()](core::result<core::claim_outcome>&& outcome) {
      workers_[index].busy = false;
      const auto* failure = outcome ? nullptr : &outcome.error();
      measure(store_work::claim, request->batch.runs.size(), since, failure);
      if (workers_[index].back_off.must_repeat(failure, "claim", steady_now(), log_))
        requests_.push_front(request);
      else
        claimed(request, std::move(outcome));
      pump();
    });
}

void storage_actor_state::claimed(const claim_request_ptr& request, core::result<core::claim_outcome>&& outcome) {
  const auto claim = request->batch.sequence;
  if (request->batch.owner != incarnation_ || (outcome && outcome->runs.empty()))
    claims_.forget(claim);
  else if (outcome)
    claims_.open(claim, static_cast<std::uint32_t>(outcome->runs.size()));
  else
    claims_.refuse(claim);
  if (!outcome && outcome.error().code != core::errc::fenced)
    log_->error("claim {} failed: {}", claim, outcome.error().context);
  if (ends_ && outcome && !outcome->missed.empty())
    protocol::send(self_, ends_, protocol::runs_ended{{}, outcome->missed});
  protocol::send(self_, request->listener, protocol::claim_reply{claim, std::move(outcome)});
}

// -- claims that no actor works on ([selfrec]) -----------------------------------------------------------------------------

void storage_actor_state::look_for_strays() {
  if (!alive_ || !strays_ || (!claims_.has_left() && stray_gate_.skips(steady_now())) || !claims_.begin_search(steady_now()))
    return;
  ask_store<std::vector<std::int64_t>>(
    self_, protocol::storage_actor{self_},
    [incarnation = incarnation_](storage::store& store) { return store.firings().open_claims(incarnation); },
    [this, incarnation = incarnation_](const core::result<std::vector<std::int64_t>>& stored) {
      claims_.end_search();
      if (!stored || !alive_ || incarnation != incarnation_)
        return;
      if (auto strays = claims_.find_strays(*stored, steady_now()); !strays.items.empty())
        protocol::send(self_, strays_, std::move(strays));
    },
    store_patience, protocol::store_turn::patient);
}

protocol::node_status storage_actor_state::status() const {
  protocol::node_status status;
  for (const auto& at : workers_)
    if (!at.back_off.trouble().empty())
      status.reasons.push_back(at.back_off.trouble());
  status.ready = status.reasons.empty();
  return status;
}

core::time_point storage_actor_state::now() const { return clock_.at(steady_now()); }

} // namespace ringmaster::actors
