#include "tests/simulation/checker.hpp"

#include <algorithm>
#include <utility>

#include "tests/support/memory_database.hpp"

namespace ringmaster::simulation {

namespace {

using test::expect;

} // namespace

void protocol_checker::tally::add(const tally& other) {
  executions += other.executions;
  fences += other.fences;
  permits += other.permits;
  intents += other.intents;
  residuals += other.residuals;
  repeated_claims += other.repeated_claims;
  edits += other.edits;
  acknowledged += other.acknowledged;
}

void protocol_checker::fail(const std::string& rule, const std::string& what) { violations_.push_back(rule + ": " + what); }

// -- lives -----------------------------------------------------------------------------------------------------------------

bool protocol_checker::is_current(const core::node_life& life) const {
  auto known = lives_.find(life.node);
  return known != lives_.end() && known->second == life.incarnation;
}

void protocol_checker::entered(const core::node_life& life) {
  auto [known, first] = lives_.try_emplace(life.node, life.incarnation);
  if (first)
    return;
  over_.try_emplace({life.node, known->second}, world_.now());
  known->second = life.incarnation;
}

void protocol_checker::fenced(const core::node_row& seen) {
  core::node_life life{seen.id, seen.incarnation};
  over_.try_emplace({seen.id, seen.incarnation}, world_.now());
  lives_.erase(seen.id);
  ++counts_.fences;
  if (world_.gate_open(life) && !world_.clock_was_frozen(seen.id))
    fail("F10", "life " + text(life) + " is fenced before its deadline");
}

void protocol_checker::left(const core::node_life& life) {
  if (is_current(life)) {
    over_.try_emplace({life.node, life.incarnation}, world_.now());
    lives_.erase(life.node);
  }
}

void protocol_checker::ended_by_switch(const core::node_life& life) { lives_.erase(life.node); }

// -- planning --------------------------------------------------------------------------------------------------------------

void protocol_checker::edited(std::int64_t revision, const std::vector<core::job_id>& jobs) {
  ++counts_.edits;
  for (auto job : jobs)
    of_revision_[revision][core::number(job)] = ++editions_[core::number(job)];
  read_schedule();
}

void protocol_checker::switched() {
  by_hand_.clear();
  read_schedule();
}

void protocol_checker::read_schedule() {
  for (auto& job : expect(world_.store->firings().load_jobs(core::slot_set{}.set(), core::job_id{0}, 1000))) {
    auto id = core::number(job.spec->id);
    if (job.next)
      next_[id] = *job.next;
    else
      next_.erase(id);
    jobs_[id] = std::move(job);
  }
}

void protocol_checker::acknowledged(std::int64_t revision) {
  ++counts_.acknowledged;
  for (auto [job, edition] : of_revision_[revision])
    answered_[job] = std::max(answered_[job], edition);
}

void protocol_checker::claimed(const core::claim_batch& batch, const core::claim_outcome& outcome, core::time_point now) {
  if (!is_current(batch.owner))
    fail("F6", "life " + text(batch.owner) + " claims after its end");
  auto is_new = claims_.emplace(batch.owner.node, batch.owner.incarnation, batch.sequence).second;
  if (outcome.repeated) {
    ++counts_.repeated_claims;
    if (is_new)
      fail("T1", "a claim that was never made is repeated");
    return;
  }
  for (const auto& move : batch.moves)
    if (std::find(outcome.lost_races.begin(), outcome.lost_races.end(), move.job) == outcome.lost_races.end())
      check_move(batch, move, now);
  for (const auto& run : outcome.runs)
    check_run(run, batch.owner);
  check_rows(batch);
}

// Nobody else writes rows, so those that are new are this claim's; and its own row is there with them.
void protocol_checker::check_rows(const core::claim_batch& batch) {
  bool any = false;
  for (const auto& row : expect(world_.store->logs().rows_after(newest_row_, 100'000))) {
    newest_row_ = row.id;
    any = true;
    auto book = runs_.find(core::number(row.id));
    if (book == runs_.end() || !book->second.spec)
      fail("F9", "run " + text(core::number(row.id)) + " has a row and no claim");
  }
  if (!any)
    return;
  auto open = expect(world_.store->firings().open_claims(batch.owner));
  if (std::find(open.begin(), open.end(), batch.sequence) == open.end())
    fail("F9", "claim " + text(batch.sequence) + " of life " + text(batch.owner) + " has runs and no row");
}

void protocol_checker::adopted(const core::node_life& owner, const std::vector<core::adopted_run>& runs) {
  for (const auto& run : runs)
    runs_[core::number(run.id)].claim = {owner.node, owner.incarnation, run.claim};
}

void protocol_checker::check_move(const core::claim_batch& batch, const core::schedule_move& move, core::time_point now) {
  auto id = core::number(move.job);
  auto known = next_.find(id);
  if (known == next_.end() || known->second != move.expected_next)
    fail("F8", "job " + text(id) + " is claimed from an instant that is not its next");
  if (move.next && *move.next <= move.expected_next)
    fail("F8", "the next time of job " + text(id) + " does not grow");
  if (move.next)
    next_[id] = *move.next;
  else
    next_.erase(id);

  if (by_hand_.contains(id))
    return;
  const auto& spec = *jobs_.at(id).spec;
  std::set<core::time_point> planned;
  for (const auto& run : batch.runs) {
    if (run.spec->id != move.job || run.intent)
      continue;
    planned.insert(run.fire_at);
    if (run.spec->param != spec.param || run.spec->schedule_conf != spec.schedule_conf)
      fail("F5", "job " + text(id) + " is claimed by a definition that was edited");
    if (run.kind == core::trigger_kind::misfire)
      return;
  }
  auto late = now - move.expected_next;
  span set_back{0};
  for (const auto& one : what_.faults)
    if (one.what == effect::step_clock || one.what == effect::freeze || one.what == effect::sleep)
      set_back += one.lasts < 0ms ? -one.lasts : one.lasts;
  if (planned.empty() && spec.misfire == core::misfire_policy::do_nothing && late + set_back > 5s)
    return;
  auto rule = core::schedule::compile(spec.schedule, spec.schedule_conf, {});
  for (std::optional at{move.expected_next}; at && (!move.next || *at < *move.next); at = rule->next(*at))
    if (!planned.contains(*at)) {
      fail("F1", "an instant of job " + text(id) + " is left out: " + text(core::to_ms(*at)) + ", late by " +
                   text(late.count()) + " ms");
      return;
    }
}

void protocol_checker::check_run(const core::claimed_run& claimed, const core::node_life& owner) {
  const auto& run = claimed.plan;
  auto job = core::number(run.spec->id);
  auto& book = runs_[core::number(claimed.id)];
  book.spec = run.spec;
  book.edition = editions_[job];
  book.by_schedule = !run.intent || core::is_reserved(run.kind);
  book.claim = {owner.node, owner.incarnation, claimed.claim};
  if (!run.intent || run.kind == core::trigger_kind::cron) {
    if (!instants_.emplace(job, run.fire_at, run.part.index).second)
      fail("F2", "job " + text(job) + " has two runs for " + text(core::to_ms(run.fire_at)));
  }
  if (!run.intent)
    return;
  auto intent = core::number(*run.intent);
  if (!claimed_intents_.emplace(intent, run.part.index).second)
    fail("F3", "intent " + text(intent) + " is claimed twice");
}

// -- results ---------------------------------------------------------------------------------------------------------------

void protocol_checker::recorded(const core::record_batch& batch, const core::record_outcome& outcome) {
  std::vector<core::log_id> ids;
  for (const auto& trigger : batch.triggers)
    ids.push_back(trigger.id);
  for (const auto& callback : batch.callbacks)
    ids.push_back(callback.id);
  for (const auto& row : expect(world_.store->logs().rows(ids))) {
    auto& book = runs_[core::number(row.id)];
    if (book.trigger_code != 0 && book.trigger_code != row.trigger_code)
      fail("F3", "the trigger code of run " + text(core::number(row.id)) + " changes again");
    if (book.handle_code != 0 && book.handle_code != row.handle_code)
      fail("F3", "run " + text(core::number(row.id)) + " gets a second result");
    if (book.trigger_code == 0 && failed(row.trigger_code) && !is_current(batch.owner))
      fail("F6", "life " + text(batch.owner) + " records a failure after its end");
    book.trigger_code = row.trigger_code;
    book.handle_code = row.handle_code;
  }
  if (!outcome.fenced)
    check_dropped(batch);
  for (const auto& intent : outcome.intents) {
    ++counts_.intents;
    intents_[core::number(intent.id)] = intent;
    auto child = intent.kind == core::trigger_kind::parent ? core::number(intent.job) : 0;
    intent_key key{intent.kind, child, core::number(intent.origin), intent.part.index};
    if (!intent_keys_.emplace(key, core::number(intent.id)).second)
      fail("F3", "run " + text(core::number(intent.origin)) + " causes the same run twice");
    const auto& origin = runs_[core::number(intent.origin)];
    if (intent.kind == core::trigger_kind::retry && !failed(origin.trigger_code) && !failed(origin.handle_code))
      fail("F3", "a run that did not fail is retried: " + text(core::number(intent.origin)));
  }
}

// A run whose sending is not decided must be in a claim, else nobody would ever look at it.
void protocol_checker::check_dropped(const core::record_batch& batch) {
  for (auto sequence : batch.resolved_claims)
    for (const auto& [id, run] : runs_)
      if (run.claim == claim_key{batch.owner.node, batch.owner.incarnation, sequence} && run.trigger_code == 0)
        fail("F9", "the claim of run " + text(id) + " is dropped before it is known what became of it");
}

void protocol_checker::permitted(const core::node_life& owner, std::span<const core::resend> runs,
                                 const std::vector<bool>& granted) {
  if (!is_current(owner))
    fail("F6", "life " + text(owner) + " is permitted to send again after its end");
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!granted[i])
      continue;
    auto id = core::number(runs[i].run);
    ++counts_.permits;
    if (++runs_[id].permits > 1)
      fail("F2", "run " + text(id) + " is permitted to be sent again twice");
    std::vector<core::log_id> one{runs[i].run};
    for (const auto& row : expect(world_.store->logs().rows(one)))
      if (row.trigger_code != 0 || row.handle_code != 0)
        fail("F7", "run " + text(id) + " is sent again although its row is decided");
  }
}

// -- requests and executors ------------------------------------------------------------------------------------------------

void protocol_checker::written(const core::node_life& life, std::int64_t id, span checked) {
  auto& run = runs_[id];
  ++run.writes;
  if (run.writes > 1 + run.permits)
    fail("F2", "run " + text(id) + " is sent " + text(run.writes) + " times without permission");
  auto over = over_.find({life.node, life.incarnation});
  if (over == over_.end()) {
    if (run.by_schedule && run.edition < answered_[core::number(run.spec->id)])
      fail("F5", "run " + text(id) + " is sent by a definition whose edit was acknowledged");
    return;
  }
  if (checked > over->second && !world_.clock_was_frozen(life.node))
    fail("F6", "life " + text(life) + " sends run " + text(id) + " and looked at its deadline after its end");
  ++counts_.residuals;
  run.residual = "R1";
}

void protocol_checker::arrived(std::int64_t id, span written) {
  auto& run = runs_[id];
  if (run.denied && written <= *run.denied)
    run.residual = "R2";
}

void protocol_checker::denied(std::int64_t id) { runs_[id].denied = world_.now(); }

void protocol_checker::executed(std::int64_t id) {
  auto& run = runs_[id];
  ++run.executions;
  ++counts_.executions;
  run.lost_by_executor = false;
  check_executions(id, run);
}

void protocol_checker::check_executions(std::int64_t id, const run_book& run) {
  auto policy = run.spec ? run.spec->on_unknown : core::unknown_policy::ask;
  auto most = 1;
  bool forgets = what_.kind == executor_kind::java || run.forgotten;
  if (forgets && (policy == core::unknown_policy::resend || (policy == core::unknown_policy::ask && !run.residual.empty())))
    most = 2;
  if (run.copied && run.forgotten) // no sender can do anything about this
    most = 2;
  if (run.executions > most)
    fail("F2", "run " + text(id) + " is executed " + text(run.executions) + " times");
}

void protocol_checker::ended(std::int64_t id, std::int32_t code) {
  runs_[id].succeeded = runs_[id].succeeded || code == core::success_code;
}

void protocol_checker::executor_lost(std::int64_t id) { runs_[id].lost_by_executor = true; }

void protocol_checker::files_lost(const std::set<std::int64_t>& ids) {
  for (auto id : ids) {
    runs_[id].forgotten = true;
    if (runs_[id].handle_code == 0)
      runs_[id].residual = "R3";
  }
}

} // namespace ringmaster::simulation
