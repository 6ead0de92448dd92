#include "actors/admin/storage_actor.hpp"

#include <algorithm>
#include <utility>

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

constexpr auto tick_every = 100ms;
constexpr auto back_off_min = 50ms;
constexpr auto back_off_max = 2000ms;
// Resolved claims go with the next record; when none comes, after this.
constexpr auto resolved_wait = 1s;

} // namespace

storage_actor_state::storage_actor_state(protocol::storage_actor::pointer self, storage_workers workers, std::size_t rows_max,
                                         protocol::wall_clock clock, logger log)
  : self_{self}, rows_max_{rows_max}, clock_{std::move(clock)}, log_{std::move(log)} {
  auto seat = [this](const protocol::store_worker& worker) -> desk& {
    auto found = std::find_if(desks_.begin(), desks_.end(), [&](const desk& d) { return d.worker == worker; });
    if (found != desks_.end())
      return *found;
    desks_.push_back(desk{.worker = worker});
    return desks_.back();
  };
  seat(workers.claims).takes_claims = true;
  seat(workers.records).takes_records = true;
  seat(workers.control).takes_control = true;
  protocol::send_at(self_, protocol::storage_actor{self_}, self_->clock().now() + tick_every, protocol::tick_atom{});
}

protocol::storage_actor::behavior_type storage_actor_state::make_behavior() {
  return {
    [this](protocol::claim_request& request) {
      claims_.push_back(std::make_shared<protocol::claim_request>(std::move(request)));
      pump();
    },
    [this](protocol::trigger_results& results) {
      std::move(results.items.begin(), results.items.end(), std::back_inserter(triggers_));
      pump();
    },
    [this](protocol::callback_batch& batch) { return accept(std::move(batch)); },
    [this](protocol::store_task& task) { return accept(std::move(task)); },
    [this](const protocol::claims_opened& opened) { open(opened); },
    [this](protocol::store_listener& listener) { intents_ = std::move(listener.intents); },
    [this](const protocol::life_change& change) { change_life(change); },
    [this](protocol::tick_atom) { tick(); },
  };
}

caf::result<protocol::callbacks_stored> storage_actor_state::accept(protocol::callback_batch&& batch) {
  if (batch.items.empty())
    return protocol::callbacks_stored{};
  if (callbacks_waiting_ + batch.items.size() > callbacks_max)
    return protocol::to_caf({core::errc::too_large, "too many results wait for the store"});
  auto promise = self_->make_response_promise<protocol::callbacks_stored>();
  callbacks_waiting_ += batch.items.size();
  callbacks_.push_back({std::move(batch.items), promise});
  pump();
  return promise;
}

caf::result<void> storage_actor_state::accept(protocol::store_task&& task) {
  auto promise = self_->make_response_promise<void>();
  control_.push_back({std::move(task), promise});
  pump();
  return promise;
}

void storage_actor_state::open(const protocol::claims_opened& opened) {
  for (auto [claim, runs] : opened.claims)
    open_claims_[claim] += runs;
}

void storage_actor_state::change_life(const protocol::life_change& change) {
  if (!change.life)
    return; // answers of a lost life are still recorded: the store's guards decide
  life_ = *change.life;
  open_claims_.clear();
  resolved_.clear();
}

void storage_actor_state::tick() {
  pump();
  protocol::send_at(self_, protocol::storage_actor{self_}, self_->clock().now() + tick_every, protocol::tick_atom{});
}

void storage_actor_state::pump() {
  for (auto& at : desks_)
    if (!at.busy)
      give_work(at);
}

void storage_actor_state::give_work(desk& at) {
  if (at.takes_control && start_control(at))
    return;
  if (self_->clock().now() < at.not_before)
    return;
  // In turn, so that neither a burst of claims nor a flood of results starves the other.
  if (at.last == work::record) {
    if (!start_claim(at))
      start_record(at);
  } else if (!start_record(at)) {
    start_claim(at);
  }
}

bool storage_actor_state::start_control(desk& at) {
  if (control_.empty())
    return false;
  auto next = std::move(control_.front());
  control_.pop_front();
  at.busy = true;
  auto index = static_cast<std::size_t>(&at - desks_.data());
  protocol::request(self_, at.worker, store_patience, std::move(next.task))
    .then(
      [this, index, promise = next.promise]() mutable {
        promise.deliver();
        desks_[index].busy = false;
        pump();
      },
      [this, index, promise = next.promise](caf::error& reason) mutable {
        promise.deliver(std::move(reason));
        desks_[index].busy = false;
        pump();
      });
  return true;
}

bool storage_actor_state::start_claim(desk& at) {
  if (!at.takes_claims || claims_.empty())
    return false;
  auto next = std::move(claims_.front());
  claims_.pop_front();
  at.last = work::claim;
  run_claim(at, std::move(next));
  return true;
}

bool storage_actor_state::start_record(desk& at) {
  if (!at.takes_records || !record_waits())
    return false;
  at.last = work::record;
  run_record(at, repeated_record_ ? std::exchange(repeated_record_, nullptr) : std::make_shared<record_task>(next_record()));
  return true;
}

bool storage_actor_state::record_waits() const noexcept {
  return repeated_record_ || !triggers_.empty() || !callbacks_.empty()
         || (!resolved_.empty() && self_->clock().now() >= resolved_since_ + resolved_wait);
}

storage_actor_state::record_task storage_actor_state::next_record() {
  record_task task;
  task.batch.owner = life_;
  task.batch.resolved_claims = std::exchange(resolved_, {});
  auto triggers = std::min(triggers_.size(), rows_max_);
  task.batch.triggers.reserve(triggers);
  std::move(triggers_.begin(), triggers_.begin() + static_cast<std::ptrdiff_t>(triggers),
            std::back_inserter(task.batch.triggers));
  triggers_.erase(triggers_.begin(), triggers_.begin() + static_cast<std::ptrdiff_t>(triggers));
  // A batch of one request stays whole, so a single large one may exceed rows_max.
  while (!callbacks_.empty()
         && (task.batch.callbacks.empty() || task.batch.callbacks.size() + callbacks_.front().items.size() <= rows_max_)) {
    auto& front = callbacks_.front();
    callbacks_waiting_ -= front.items.size();
    std::move(front.items.begin(), front.items.end(), std::back_inserter(task.batch.callbacks));
    task.promises.push_back(std::move(front.promise));
    callbacks_.pop_front();
  }
  return task;
}

void storage_actor_state::run_claim(desk& at, std::shared_ptr<protocol::claim_request> request) {
  at.busy = true;
  auto index = static_cast<std::size_t>(&at - desks_.data());
  ask_store<core::claim_outcome>(
    self_, at.worker, [request, t = now()](storage::store& store) { return store.firings().claim(request->batch, t); },
    [this, index, request](core::result<core::claim_outcome>&& outcome) {
      desks_[index].busy = false;
      if (must_repeat(desks_[index], outcome ? nullptr : &outcome.error(), "claim"))
        claims_.push_front(request);
      else
        claimed(request, std::move(outcome));
      pump();
    });
}

void storage_actor_state::run_record(desk& at, std::shared_ptr<record_task> task) {
  at.busy = true;
  auto index = static_cast<std::size_t>(&at - desks_.data());
  ask_store<core::record_outcome>(
    self_, at.worker, [task, t = now()](storage::store& store) { return store.firings().record(task->batch, t); },
    [this, index, task](core::result<core::record_outcome>&& outcome) {
      desks_[index].busy = false;
      if (must_repeat(desks_[index], outcome ? nullptr : &outcome.error(), "record"))
        repeated_record_ = task;
      else
        recorded(task, std::move(outcome));
      pump();
    });
}

void storage_actor_state::claimed(const std::shared_ptr<protocol::claim_request>& request,
                                  core::result<core::claim_outcome>&& outcome) {
  if (outcome && request->batch.owner == life_ && !outcome->runs.empty())
    open_claims_[request->batch.sequence] += static_cast<std::uint32_t>(outcome->runs.size());
  if (!outcome && outcome.error().code != core::errc::fenced)
    log_->error("claim {} failed: {}", request->batch.sequence, outcome.error().context);
  protocol::send(self_, request->listener, protocol::claim_reply{request->batch.sequence, std::move(outcome)});
}

void storage_actor_state::recorded(const std::shared_ptr<record_task>& task, core::result<core::record_outcome>&& outcome) {
  if (!outcome) {
    // A batch that the store refuses would be refused for ever. Its claims stay open: recovery of a later life asks about them.
    log_->error("recording {} trigger results and {} callbacks failed: {}", task->batch.triggers.size(),
                task->batch.callbacks.size(), outcome.error().context);
    for (auto& promise : task->promises)
      promise.deliver(protocol::to_caf(outcome.error()));
    return;
  }
  for (auto& promise : task->promises)
    promise.deliver(protocol::callbacks_stored{});
  if (!outcome->fenced)
    resolve(task->batch.triggers);
  if (intents_ && !outcome->intents.empty())
    protocol::send(self_, *intents_, protocol::intent_batch{std::move(outcome->intents)});
}

void storage_actor_state::resolve(const std::vector<core::trigger_result>& triggers) {
  for (const auto& trigger : triggers) {
    auto open = open_claims_.find(trigger.claim);
    if (open == open_claims_.end() || --open->second > 0)
      continue;
    open_claims_.erase(open);
    if (resolved_.empty())
      resolved_since_ = self_->clock().now();
    resolved_.push_back(trigger.claim);
  }
}

bool storage_actor_state::must_repeat(desk& at, const core::error* failure, const char* what) {
  auto repeat = failure && (failure->code == core::errc::unavailable || failure->code == core::errc::timeout);
  if (!repeat) {
    if (at.back_off > 0ms)
      log_->info("the store answers again");
    at.back_off = 0ms;
    return false;
  }
  if (at.back_off == 0ms)
    log_->warn("the store cannot {} now, repeating until it can: {}", what, failure->context);
  at.back_off = std::clamp<std::chrono::milliseconds>(at.back_off * 2, back_off_min, back_off_max);
  at.not_before = self_->clock().now() + at.back_off;
  return true;
}

core::time_point storage_actor_state::now() const { return clock_.at(self_->clock().now()); }

} // namespace ringmaster::actors
