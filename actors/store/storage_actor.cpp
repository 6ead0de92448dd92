#include "actors/store/storage_actor.hpp"

#include <algorithm>
#include <utility>

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

constexpr auto tick_every = 100ms;
constexpr auto task_back_off_min = 50ms;
constexpr auto task_back_off_max = 2000ms;
// Resolved claims are deleted with the next record; without one, after this time.
constexpr auto resolved_wait = 1s;
// Longest wait of a patient task for a moment without claims and results.
constexpr auto patience = 1s;
// Interval of searches for claims that no actor works on; such a claim must be seen twice.
constexpr auto look_every = 500ms;
// Limits how often recovery is notified of the same claim; after that it is left to the next incarnation.
constexpr int tell_max = 3;
constexpr auto tell_again = 10s;

template <class T>
std::vector<T> take_front(std::deque<T>& from, std::size_t limit) {
  auto end = from.begin() + static_cast<std::ptrdiff_t>(std::min(from.size(), limit));
  std::vector<T> taken{std::make_move_iterator(from.begin()), std::make_move_iterator(end)};
  from.erase(from.begin(), end);
  return taken;
}

} // namespace

storage_actor_state::storage_actor_state(protocol::storage_actor::pointer self, storage_workers workers, std::size_t rows_max,
                                         protocol::wall_clock clock, logger log, std::shared_ptr<marks_keeper> marks)
  : self_{self}, rows_max_{rows_max}, clock_{std::move(clock)}, log_{std::move(log)}, marks_{std::move(marks)},
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
  protocol::send_at(self_, protocol::storage_actor{self_}, self_->clock().now() + tick_every, protocol::tick_atom{});
}

protocol::storage_actor::behavior_type storage_actor_state::make_behavior() {
  return {
    [this](protocol::claim_request& request) {
      asked_claims_.insert(request.batch.sequence);
      claims_.push_back(std::make_shared<protocol::claim_request>(std::move(request)));
      pump();
    },
    [this](protocol::trigger_results& results) {
      take(std::move(results.items));
      pump();
    },
    [this](protocol::callback_batch& batch) { return accept(std::move(batch)); },
    [this](protocol::store_task& task) { return accept(std::move(task)); },
    [this](const protocol::claims_opened& opened) { open(opened); },
    [this](protocol::store_listener& listener) {
      intents_ = std::move(listener.intents);
      strays_ = std::move(listener.strays);
      ends_ = std::move(listener.ends);
    },
    [this](const protocol::incarnation_change& change) { change_incarnation(change); },
    [this](protocol::status_query) { return status(); },
    [this](protocol::tick_atom) { tick(); },
  };
}

// Records results under the incarnation that claimed the run. A failure of a run of an earlier incarnation must not count as a
// failure of this one, which may have adopted the run and sent it again.
void storage_actor_state::take(std::vector<core::trigger_result>&& results) {
  for (auto& result : results) {
    auto& queue = open_claims_.contains(result.claim) ? triggers_ : former_triggers_;
    queue.push_back(std::move(result));
  }
}

caf::result<protocol::callbacks_stored> storage_actor_state::accept(protocol::callback_batch&& batch) {
  if (batch.items.empty())
    return protocol::callbacks_stored{};
  // The instants of retries and children are computed from this clock.
  if (clock_.in_doubt())
    return protocol::to_caf(protocol::clock_in_doubt());
  if (callbacks_waiting_ + batch.items.size() > callbacks_max)
    return protocol::to_caf({core::errc::too_large, "too many results are waiting for the store"});
  auto promise = self_->make_response_promise<protocol::callbacks_stored>();
  callbacks_waiting_ += batch.items.size();
  callbacks_.push_back({std::move(batch.items), promise});
  pump();
  return promise;
}

caf::result<void> storage_actor_state::accept(protocol::store_task&& task) {
  auto promise = self_->make_response_promise<void>();
  auto since = self_->clock().now();
  switch (task.turn) {
  case protocol::store_turn::first: control_.push_front({std::move(task), promise, since}); break;
  case protocol::store_turn::usual: control_.push_back({std::move(task), promise, since}); break;
  case protocol::store_turn::patient: patient_.push_back({std::move(task), promise, since}); break;
  }
  pump();
  return promise;
}

void storage_actor_state::callback_answer::done() {
  if (--open > 0)
    return;
  if (refusal)
    promise.deliver(protocol::to_caf(*refusal));
  else
    promise.deliver(protocol::callbacks_stored{});
}

void storage_actor_state::callback_answer::refuse(const core::error& why) {
  refusal = why;
  done();
}

void storage_actor_state::open(const protocol::claims_opened& opened) {
  for (auto [claim, runs] : opened.claims)
    open_claims_[claim] += runs;
}

void storage_actor_state::change_incarnation(const protocol::incarnation_change& change) {
  alive_ = change.life.has_value();
  if (!change.life)
    return; // answers of a lost incarnation are still recorded: the store's guards decide
  life_ = *change.life;
  shared_ = change.mode == core::cluster_mode::shared;
  std::move(triggers_.begin(), triggers_.end(), std::back_inserter(former_triggers_));
  triggers_.clear();
  open_claims_.clear();
  incomplete_claims_.clear();
  refused_claims_.clear();
  suspects_.clear();
  told_strays_.clear();
  resolved_.clear();
  closing_claims_.clear();
}

void storage_actor_state::tick() {
  release_held();
  pump();
  metrics_.show({claims_.size(), triggers_.size() + former_triggers_.size(), callbacks_waiting_, open_claims_.size()});
  look_for_strays();
  protocol::send_at(self_, protocol::storage_actor{self_}, self_->clock().now() + tick_every, protocol::tick_atom{});
}

void storage_actor_state::measure(store_work what, std::size_t rows, caf::actor_clock::time_point since,
                                  const core::error* failure) const {
  metrics_.done(what, rows, self_->clock().now() - since);
  if (failure)
    metrics_.failed(what, failure->code);
}

void storage_actor_state::pump() {
  for (auto& at : workers_)
    if (!at.busy)
      give_work(at);
}

void storage_actor_state::give_work(client& at) {
  if (at.takes_control && (start_control(at) || (patience_ended() && start_patient(at))))
    return;
  if (self_->clock().now() >= at.not_before) {
    // In turns, so that neither a burst of claims nor a flood of results starves the other.
    auto claims_first = at.last == work::record;
    if (claims_first ? start_claim(at) || start_record(at) : start_record(at) || start_claim(at))
      return;
  }
  if (at.takes_control)
    start_patient(at);
}

bool storage_actor_state::start_control(client& at) {
  if (control_.empty())
    return false;
  auto next = std::move(control_.front());
  control_.pop_front();
  run_control(at, std::move(next));
  return true;
}

bool storage_actor_state::start_patient(client& at) {
  if (patient_.empty())
    return false;
  auto next = std::move(patient_.front());
  patient_.pop_front();
  run_control(at, std::move(next));
  return true;
}

bool storage_actor_state::patience_ended() const {
  return !patient_.empty() && self_->clock().now() >= patient_.front().since + patience;
}

void storage_actor_state::run_control(client& at, control_task&& next) {
  at.busy = true;
  auto index = static_cast<std::size_t>(&at - workers_.data());
  protocol::request(self_, at.worker, store_patience, std::move(next.task))
    .then(
      [this, index, promise = next.promise, since = self_->clock().now()]() mutable {
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
  if (!at.takes_claims || claims_.empty())
    return false;
  auto next = std::move(claims_.front());
  claims_.pop_front();
  at.last = work::claim;
  run_claim(at, std::move(next));
  return true;
}

bool storage_actor_state::start_record(client& at) {
  if (!at.takes_records || !record_waits())
    return false;
  at.last = work::record;
  if (repeated_records_.empty()) {
    run_record(at, std::make_shared<record_task>(next_record()));
    return true;
  }
  auto again = std::move(repeated_records_.front());
  repeated_records_.pop_front();
  run_record(at, std::move(again));
  return true;
}

bool storage_actor_state::record_waits() const noexcept {
  return !repeated_records_.empty() || !triggers_.empty() || !former_triggers_.empty() || !callbacks_.empty()
         || (!resolved_.empty() && self_->clock().now() >= resolved_since_ + resolved_wait);
}

storage_actor_state::record_task storage_actor_state::next_record() {
  record_task task;
  task.batch.shared = shared_;
  if (!former_triggers_.empty()) {
    // An incarnation that the store never assigned: the store keeps successful deliveries and leaves failures to the incarnation
    // that adopted the run.
    task.batch.owner = {life_.node, -1};
    task.batch.triggers = take_front(former_triggers_, rows_max_);
    return task;
  }
  task.batch.owner = life_;
  task.batch.resolved_claims = std::exchange(resolved_, {});
  task.batch.triggers = take_front(triggers_, rows_max_);
  // A batch of one request stays whole, so a single large one may exceed rows_max.
  while (!callbacks_.empty()
         && (task.batch.callbacks.empty() || task.batch.callbacks.size() + callbacks_.front().items.size() <= rows_max_)) {
    auto& front = callbacks_.front();
    callbacks_waiting_ -= front.items.size();
    auto answer = std::make_shared<callback_answer>(callback_answer{std::move(front.promise), front.items.size(), std::nullopt});
    task.answers.insert(task.answers.end(), front.items.size(), answer);
    std::move(front.items.begin(), front.items.end(), std::back_inserter(task.batch.callbacks));
    callbacks_.pop_front();
  }
  return task;
}

void storage_actor_state::run_claim(client& at, std::shared_ptr<protocol::claim_request> request) {
  at.busy = true;
  const auto index = static_cast<std::size_t>(&at - workers_.data());
  ask_store<core::claim_outcome>(
    self_, at.worker, [request, marks = marks_, t = now()](auto& store) { return claim(store, request->batch, t, marks.get()); },
    [this, index, request, since = self_->clock().now()](core::result<core::claim_outcome>&& outcome) {
      workers_[index].busy = false;
      measure(store_work::claim, request->batch.runs.size(), since, outcome ? nullptr : &outcome.error());
      if (must_repeat(workers_[index], outcome ? nullptr : &outcome.error(), "claim"))
        claims_.push_front(request);
      else
        claimed(request, std::move(outcome));
      pump();
    });
}

void storage_actor_state::run_record(client& at, std::shared_ptr<record_task> task) {
  at.busy = true;
  auto index = static_cast<std::size_t>(&at - workers_.data());
  ask_store<core::record_outcome>(
    self_, at.worker, [task, t = now()](storage::store& store) { return store.firings().record(task->batch, t); },
    [this, index, task, since = self_->clock().now()](core::result<core::record_outcome>&& outcome) {
      workers_[index].busy = false;
      const auto& batch = task->batch;
      measure(store_work::record, batch.triggers.size() + batch.callbacks.size(), since, outcome ? nullptr : &outcome.error());
      if (must_repeat(workers_[index], outcome ? nullptr : &outcome.error(), "record"))
        repeated_records_.push_front(task);
      else
        recorded(task, std::move(outcome));
      pump();
    });
}

void storage_actor_state::claimed(const std::shared_ptr<protocol::claim_request>& request,
                                  core::result<core::claim_outcome>&& outcome) {
  asked_claims_.erase(request->batch.sequence);
  if (!outcome && request->batch.owner == life_)
    refused_claims_.insert(request->batch.sequence);
  if (outcome && request->batch.owner == life_ && !outcome->runs.empty())
    open_claims_[request->batch.sequence] += static_cast<std::uint32_t>(outcome->runs.size());
  if (!outcome && outcome.error().code != core::errc::fenced)
    log_->error("claim {} failed: {}", request->batch.sequence, outcome.error().context);
  if (ends_ && outcome && !outcome->missed.empty())
    protocol::send(self_, ends_, protocol::runs_ended{{}, outcome->missed});
  protocol::send(self_, request->listener, protocol::claim_reply{request->batch.sequence, std::move(outcome)});
}

void storage_actor_state::recorded(const std::shared_ptr<record_task>& task, core::result<core::record_outcome>&& outcome) {
  if (!outcome)
    return refused(*task, outcome.error());
  if (!outcome->locked_runs.empty())
    hold(*task, outcome->locked_runs);
  metrics_.stored(outcome->callbacks_stored, task->batch.callbacks.size(), outcome->triggers_stored);
  closed(*task);
  warn_of_ignored_callbacks(log_, *outcome);
  failures_.write(log_, task->batch, *outcome, self_->clock().now());
  for (const auto& answer : task->answers)
    answer->done();
  // Numbers of adopted claims start again with each incarnation.
  if (!outcome->fenced && task->batch.owner == life_)
    resolve(task->batch.triggers);
  if (ends_ && !outcome->ended.empty())
    protocol::send(self_, ends_, protocol::runs_ended{std::move(outcome->ended)});
  if (intents_ && !outcome->intents.empty())
    protocol::send(self_, *intents_, protocol::intent_batch{std::move(outcome->intents)});
}

void storage_actor_state::resolve(const std::vector<core::trigger_result>& triggers) {
  for (const auto& trigger : triggers)
    close_run(trigger.claim, true);
}

// Also if the deletion failed: a claim that is still in the store is searched for like any other.
void storage_actor_state::closed(const record_task& task) {
  if (task.batch.owner == life_)
    for (auto claim : task.batch.resolved_claims)
      closing_claims_.erase(claim);
}

void storage_actor_state::close_run(std::int64_t claim, bool recorded) {
  auto open = open_claims_.find(claim);
  if (open == open_claims_.end())
    return;
  if (!recorded)
    incomplete_claims_.insert(claim);
  if (--open->second > 0)
    return;
  open_claims_.erase(open);
  if (incomplete_claims_.erase(claim) > 0)
    return; // the claim stays in the store, where the next search finds it
  if (resolved_.empty())
    resolved_since_ = self_->clock().now();
  resolved_.push_back(claim);
  closing_claims_.insert(claim);
}

// -- claims that no actor works on ([selfrec]) -----------------------------------------------------------------------------

void storage_actor_state::look_for_strays() {
  if (!alive_ || looking_ || !strays_ || self_->clock().now() < next_look_)
    return;
  looking_ = true;
  next_look_ = self_->clock().now() + look_every;
  ask_store<std::vector<std::int64_t>>(
    self_, protocol::storage_actor{self_}, [life = life_](storage::store& store) { return store.firings().open_claims(life); },
    [this, life = life_](const core::result<std::vector<std::int64_t>>& stored) {
      looking_ = false;
      if (stored && alive_ && life == life_)
        compare(*stored);
    },
    store_patience, protocol::store_turn::patient);
}

// A claim may be in the store a moment before its answer arrives here, or a moment longer than its last run is settled. So it
// must be found by two searches, the second of which began after the first had ended; a claim that is settled meanwhile is not
// reported.
void storage_actor_state::compare(const std::vector<std::int64_t>& stored) {
  std::unordered_set<std::int64_t> seen;
  protocol::stray_claims strays;
  const auto now = self_->clock().now();
  for (auto claim : stored) {
    if (open_claims_.contains(claim) || asked_claims_.contains(claim) || closing_claims_.contains(claim))
      continue;
    auto told = told_strays_.find(claim);
    if (told != told_strays_.end() && now < told->second.next)
      continue;
    if (!suspects_.contains(claim))
      seen.insert(claim);
    else
      tell_stray(claim, strays);
  }
  suspects_ = std::move(seen);
  if (!strays.items.empty())
    protocol::send(self_, strays_, std::move(strays));
}

void storage_actor_state::tell_stray(std::int64_t claim, protocol::stray_claims& strays) {
  auto& told = told_strays_[claim];
  if (told.times < tell_max)
    strays.items.push_back({claim, refused_claims_.contains(claim) && told.times == 0});
  else if (told.times == tell_max)
    log_->error("claim {} cannot be settled in this incarnation", claim);
  told.times = std::min(told.times + 1, tell_max + 1);
  told.next = self_->clock().now() + tell_again;
}

bool storage_actor_state::must_repeat(client& at, const core::error* failure, const char* what) {
  if (!failure || (failure->code != core::errc::unavailable && failure->code != core::errc::timeout)) {
    if (at.back_off > 0ms)
      log_->info("the store answers again");
    at.back_off = 0ms;
    at.trouble.clear();
    return false;
  }
  if (at.back_off == 0ms)
    log_->warn("the store cannot {} now, retrying until it can: {}", what, failure->context);
  at.trouble = std::string{"the store cannot "} + what + ": " + failure->context;
  at.back_off = std::clamp<std::chrono::milliseconds>(at.back_off * 2, task_back_off_min, task_back_off_max);
  at.not_before = self_->clock().now() + at.back_off;
  return true;
}

protocol::node_status storage_actor_state::status() const {
  protocol::node_status status;
  for (const auto& at : workers_)
    if (!at.trouble.empty())
      status.reasons.push_back(at.trouble);
  status.ready = status.reasons.empty();
  return status;
}

core::time_point storage_actor_state::now() const { return clock_.at(self_->clock().now()); }

} // namespace ringmaster::actors
