#include "tests/simulation/checker.hpp"

#include <algorithm>
#include <utility>

#include "config/settings.hpp"
#include "core/run/claim_rules.hpp"
#include "core/run/trigger_note.hpp"
#include "core/text/text.hpp"
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
  asked += other.asked;
  dropped += other.dropped;
  missed_rows += other.missed_rows;
  native_runs += other.native_runs;
  native_results += other.native_results;
  native_denials += other.native_denials;
}

void protocol_checker::fail(const std::string& rule, const std::string& what) { violations_.push_back(rule + ": " + what); }

// -- planning ------------------------------------------------------------------------------------------------------------------

void protocol_checker::claimed(const core::claim_batch& batch, const core::claim_outcome& outcome) {
  if (!is_current(batch.owner))
    fail("F6", "incarnation " + text(batch.owner) + " claims after its end");
  auto is_new = claims_.emplace(batch.owner.node, batch.owner.incarnation, batch.sequence).second;
  if (outcome.repeated) {
    ++counts_.repeated_claims;
    if (is_new)
      fail("T1", "a claim that was never made is repeated");
    return;
  }
  gaps_.clear();
  for (const auto& move : batch.moves)
    if (std::find(outcome.lost_races.begin(), outcome.lost_races.end(), move.job) == outcome.lost_races.end())
      check_move(batch, move);
  for (const auto& run : outcome.runs)
    check_run(run, batch.owner);
  check_missed(batch, outcome);
  if (what_->is_orderly && !outcome.missed.empty())
    fail("handed_over", "job " + text(core::number(outcome.missed.front().job)) + " drops instants");
  check_rows(batch);
}

// Only claims write rows, so all new rows are this claim's; and its own row is written with them.
void protocol_checker::check_rows(const core::claim_batch& batch) {
  bool any = false;
  for (const auto& row : expect(world_.store->logs().rows_after(newest_row_, 100'000))) {
    newest_row_ = row.id;
    any = any || !core::missed_in(row.trigger_msg); // rows of missed instants are not runs: nothing of them is open
    auto book = runs_.find(core::number(row.id));
    if (book == runs_.end() || !book->second.spec)
      fail("F9", "run " + text(core::number(row.id)) + " has a row and no claim");
  }
  if (!any)
    return;
  auto open = expect(world_.store->firings().open_claims(batch.owner));
  if (std::find(open.begin(), open.end(), batch.sequence) == open.end())
    fail("F9", "claim " + text(batch.sequence) + " of incarnation " + text(batch.owner) + " has runs and no row");
}

void protocol_checker::adopted(const core::node_incarnation& owner, const std::vector<core::adopted_run>& runs) {
  for (const auto& run : runs) {
    auto& book = runs_[core::number(run.id)];
    book.claim = {owner.node, owner.incarnation, run.claim};
    book.held_by.insert(owner.node);
  }
}

void protocol_checker::check_move(const core::claim_batch& batch, const core::schedule_move& move) {
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

  if (!by_hand_.contains(id))
    check_planned(batch, move, *jobs_.at(id).spec);
}

namespace {

/// Returns the end of the instants that a claim drops: the next time of the job. A fixed rate without a grid (start, jitter or
/// milliseconds) counts from the moment of the drop again: its next time is that moment and the rate, rounded up to a second, and
/// without one it has come to its end. Then the claim says up to which instant it dropped, which lies at most a rate back.
std::optional<core::time_point> end_of_gap(const core::schedule& rule, const core::job& spec, const core::schedule_move& move,
                                           core::time_point now) {
  const auto& options = spec.timing;
  if (spec.schedule != core::schedule_type::fixed_rate || options.interval_ms || options.start_at || options.jitter_ms)
    return move.next;
  const auto rate = core::parse_int32(spec.schedule_conf).value_or(1) * 1s;
  if (move.next)
    return std::max(*move.next - rate, move.expected_next + 1ms);
  const bool is_recent = move.missed && move.missed->what.last + rate + 1s > now;
  return is_recent ? std::optional{move.missed->what.last + 1ms} : rule.next(now, spec.id);
}

} // namespace

// Lateness is measured on the true time: a clock that is ahead for a moment makes nothing late.
void protocol_checker::check_planned(const core::claim_batch& batch, const core::schedule_move& move, const core::job& spec) {
  const auto id = core::number(move.job);
  std::set<core::time_point> planned;
  bool misfire = false;
  for (const auto& run : batch.runs) {
    if (run.spec->id != move.job || run.intent)
      continue;
    planned.insert(run.fire_at);
    misfire = misfire || run.kind == core::trigger_kind::misfire;
    if (run.spec->param != spec.param || run.spec->schedule_conf != spec.schedule_conf)
      fail("F5", "job " + text(id) + " is claimed by a definition that was edited");
  }
  const auto late = world_.true_time() - move.expected_next;
  const bool may_be_missed = late + clock_errors(*what_) > 5s;
  auto rule = core::schedule::compile(spec.schedule, spec.schedule_conf, {}, spec.timing);
  const bool drops = spec.misfire == core::misfire_policy::do_nothing || rule->is_over(world_.true_time() + clock_errors(*what_));
  if (may_be_missed && misfire)
    return;
  if (may_be_missed && planned.empty() && drops) {
    core::missed_instants gap{0, move.expected_next, {}};
    const auto end = end_of_gap(*rule, spec, move, world_.true_time());
    for (std::optional at{move.expected_next}; at && (!end || *at < *end); at = rule->next(*at, spec.id)) {
      ++gap.count;
      gap.last = *at;
    }
    dropped_[batch.owner.node] += static_cast<std::int64_t>(gap.count);
    gaps_[id] = gap;
    return;
  }
  for (std::optional at{move.expected_next}; at && (!move.next || *at < *move.next); at = rule->next(*at, spec.id))
    if (!planned.contains(*at)) {
      fail("F1", "an instant of job " + text(id) + " is left out: " + text(core::to_ms(*at)) + ", late by " +
                   text(late.count()) + " ms");
      return;
    }
}

namespace {

std::string gap_text(const core::missed_instants& gap) {
  return std::to_string(gap.count) + " instants from " + std::to_string(core::to_ms(gap.first)) + " to "
         + std::to_string(core::to_ms(gap.last));
}

} // namespace

// Each gap has one row, which describes all of it.
void protocol_checker::check_missed(const core::claim_batch& batch, const core::claim_outcome& outcome) {
  for (const auto& row : outcome.missed) {
    const auto job = core::number(row.job);
    auto& book = runs_[core::number(row.id)];
    for (const auto& move : batch.moves)
      if (move.job == row.job && move.missed)
        book.spec = move.missed->spec;
    book.trigger_code = core::failure_code;
    ++counts_.missed_rows;
    if (by_hand_.contains(job))
      continue;
    const auto gap = gaps_.find(job);
    if (gap == gaps_.end() || gap->second != row.what)
      fail("F1", "row " + text(core::number(row.id)) + " of job " + text(job) + " says " + gap_text(row.what) +
                   " were missed, not " + (gap == gaps_.end() ? "none" : gap_text(gap->second)));
    else
      gaps_.erase(gap);
  }
  for (const auto& [job, gap] : gaps_)
    fail("F1", text(static_cast<std::int64_t>(gap.count)) + " instants of job " + text(job) + " are dropped without a row");
}

void protocol_checker::check_run(const core::claimed_run& claimed, const core::node_incarnation& owner) {
  const auto& run = claimed.plan;
  auto job = core::number(run.spec->id);
  auto& book = runs_[core::number(claimed.id)];
  book.spec = run.spec;
  book.edition = editions_[job];
  book.claim = book.first_claim = {owner.node, owner.incarnation, claimed.claim};
  book.held_by.insert(owner.node);
  if (!run.intent || run.kind == core::trigger_kind::cron) {
    if (!instants_.emplace(job, run.fire_at, run.part.index).second)
      fail("F2", "job " + text(job) + " has two runs for " + text(core::to_ms(run.fire_at)));
    check_lateness(run);
  }
  if (!run.intent)
    return;
  auto intent = core::number(*run.intent);
  if (!claimed_intents_.emplace(intent, run.part.index).second)
    fail("F3", "intent " + text(intent) + " is claimed twice");
  if (!core::is_reserved(run.kind))
    check_definition(claimed);
  check_asked(claimed);
  check_wait(claimed);
}

// The other nodes take the slots of one that leaves, and plan those of one that joins until it can.
void protocol_checker::check_lateness(const core::planned_run& run) {
  constexpr core::milliseconds late_max = 50ms;
  if (const auto late = world_.true_time() - run.fire_at; what_->is_orderly && late > late_max)
    fail("handed_over",
         "job " + text(core::number(run.spec->id)) + " is claimed " + text(late.count()) + " ms after its instant");
}

// However many runs wait for an executor that stands still, those of other executors proceed, if a node trusts its clock.
void protocol_checker::check_wait(const core::claimed_run& claimed) {
  constexpr span wait_max = 18s;
  const auto made = made_at_.find(core::number(*claimed.plan.intent));
  const bool elsewhere = claimed.plan.spec->param.find(backlog_mark) != std::string::npos || !claimed.plan.addresses.empty();
  if (what_->backlog == 0 || made == made_at_.end() || elsewhere)
    return;
  const config::cluster_settings rules;
  const bool distrusted = std::any_of(what_->faults.begin(), what_->faults.end(), [&](const auto& one) {
    return (one.what == effect::step_clock || one.what == effect::freeze) && std::chrono::abs(one.lasts) > rules.clock_tolerance;
  });
  // A job whose claim the store refuses waits for a minute.
  const bool refused =
    std::any_of(what_->faults.begin(), what_->faults.end(), [](const auto& one) { return one.what == effect::wrong_answer; });
  const auto excused = (distrusted ? span{rules.clock_settle} : span{}) + (refused ? span{60s} : span{});
  if (const auto waited = world_.now() - made->second; waited > wait_max + excused)
    fail("F4", "intent " + text(made->first) + " waited for " + text(std::chrono::duration_cast<milliseconds>(waited).count()) +
                 " ms after those of another executor");
}

// In shared mode the definition is the row of the Java admins' table, which the shared checker watches.
void protocol_checker::check_definition(const core::claimed_run& claimed) {
  const auto job = core::number(claimed.plan.spec->id);
  const auto known = jobs_.find(job);
  if (what_->shared || by_hand_.contains(job))
    return;
  if (known == jobs_.end())
    fail("F5", "run " + text(core::number(claimed.id)) + " is claimed of job " + text(job) + ", which was removed");
  else if (!core::runs_alike(*known->second.spec, *claimed.plan.spec))
    fail("F5", "run " + text(core::number(claimed.id)) + " is claimed by a definition of job " + text(job) + " that was edited");
}

void protocol_checker::check_asked(const core::claimed_run& claimed) {
  const auto wanted = asked_.find(core::number(*claimed.plan.intent));
  if (wanted == asked_.end())
    return;
  const auto& [intent, asked] = *wanted;
  const auto& addresses = asked.addresses;
  if (!addresses.empty() && !claimed.plan.address.empty()
      && std::find(addresses.begin(), addresses.end(), claimed.plan.address) == addresses.end())
    fail("manual run", "the run of intent " + text(intent) + " goes to an address that was not requested");
  if (asked.param && claimed.plan.effective_param() != *asked.param)
    fail("manual run", "the run of intent " + text(intent) + " has a parameter that was not requested");
}

// -- results ---------------------------------------------------------------------------------------------------------------

void protocol_checker::recorded(const core::record_batch& batch, const core::record_outcome& outcome) {
  check_stored(batch, outcome);
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
      fail("F6", "incarnation " + text(batch.owner) + " records a failure after its end");
    book.trigger_code = row.trigger_code;
    book.handle_code = row.handle_code;
  }
  if (!outcome.fenced)
    check_dropped(batch);
  note_intents(outcome.intents);
}

// Equal codes do not show that a row was written a second time; the store's report of stored rows does.
void protocol_checker::check_stored(const core::record_batch& batch, const core::record_outcome& outcome) {
  std::set<std::int64_t> sent, ended;
  for (const auto& trigger : batch.triggers)
    if (runs_[core::number(trigger.id)].trigger_code == 0)
      sent.insert(core::number(trigger.id));
  for (const auto& callback : batch.callbacks)
    if (runs_[core::number(callback.id)].handle_code == 0)
      ended.insert(core::number(callback.id));
  if (outcome.triggers_stored > sent.size())
    fail("F3", "the trigger result of a run is stored twice");
  if (outcome.callbacks_stored > ended.size())
    fail("F3", "the result of a run is stored twice");
}

void protocol_checker::decided(const std::vector<core::intent>& intents) { note_intents(intents); }

void protocol_checker::note_intents(const std::vector<core::intent>& intents) {
  for (const auto& intent : intents) {
    ++counts_.intents;
    intents_[core::number(intent.id)] = intent;
    made_at_[core::number(intent.id)] = world_.now();
    auto child = intent.kind == core::trigger_kind::parent ? core::number(intent.job) : 0;
    intent_key key{intent.kind, child, core::number(intent.origin), intent.part.index};
    if (!intent_keys_.emplace(key, core::number(intent.id)).second)
      fail("F3", "run " + text(core::number(intent.origin)) + " causes the same run twice");
    const auto& origin = runs_[core::number(intent.origin)];
    if (intent.kind == core::trigger_kind::retry && !failed(origin.trigger_code) && !failed(origin.handle_code))
      fail("F3", "a run that did not fail is retried: " + text(core::number(intent.origin)));
  }
}

// A run whose sending is not decided must be in a claim, otherwise no node would ever process it.
void protocol_checker::check_dropped(const core::record_batch& batch) {
  for (auto sequence : batch.resolved_claims)
    for (const auto& [id, run] : runs_)
      if (run.claim == claim_key{batch.owner.node, batch.owner.incarnation, sequence} && run.trigger_code == 0
          && !(run.spec && removed_.contains(core::number(run.spec->id)))) // its row may be gone
        fail("F9", "the claim of run " + text(id) + " is dropped before its outcome is known");
}

void protocol_checker::permitted(const core::node_incarnation& owner, std::span<const core::resend> runs,
                                 const std::vector<bool>& granted) {
  if (!is_current(owner))
    fail("F6", "incarnation " + text(owner) + " is permitted to send again after its end");
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!granted[i])
      continue;
    auto id = core::number(runs[i].run);
    ++counts_.permits;
    const auto& [node, incarnation, sequence] = runs_[id].first_claim;
    const core::node_incarnation first{node, incarnation};
    if (!(first == owner) && cut_short_.contains({node, incarnation}) && may_still_write(first))
      fail("F10", "run " + text(id) + " is permitted to be sent again while incarnation " + text(first) + " may write it");
    if (++runs_[id].permits > 1)
      fail("F2", "run " + text(id) + " is permitted to be sent again twice");
    std::vector<core::log_id> one{runs[i].run};
    for (const auto& row : expect(world_.store->logs().rows(one)))
      if (row.trigger_code != 0 || row.handle_code != 0)
        fail("F7", "run " + text(id) + " is sent again although its row is decided");
  }
}

// -- requests and executors ------------------------------------------------------------------------------------------------

void protocol_checker::written_to_link(std::int64_t id, const gate_passage& passage) {
  ++counts_.native_runs;
  if (!runs_[id].held_by.contains(passage.life.node))
    fail("F6", "node " + passage.life.node + " sends run " + text(id) + ", which it never held");
  written(id, passage);
}

void protocol_checker::written(std::int64_t id, const gate_passage& passage) {
  const auto& life = passage.life;
  auto& run = runs_[id];
  ++run.writes;
  if (run.writes > 1 + run.permits)
    fail("F2", "run " + text(id) + " is sent " + text(run.writes) + " times without permission");
  if (!is_over(life)) {
    if (run.spec && run.edition < answered_[core::number(run.spec->id)])
      fail("F5", "run " + text(id) + " is sent by a definition whose edit was acknowledged");
    return;
  }
  if (passage.checked > over_.at({life.node, life.incarnation}) && !world_.clock_was_frozen(life.node))
    fail("F6", "incarnation " + text(life) + " sends run " + text(id) + " and checked its deadline after its end");
  ++counts_.residuals;
  run.residual = "R1";
}

void protocol_checker::arrived(std::int64_t id, span written) {
  auto& run = runs_[id];
  if (run.denied && written <= *run.denied)
    run.residual = "R2";
}

// Behind an address that registered itself the answer of any process counts: R5.
void protocol_checker::denied(std::int64_t id, bool another_has_it) {
  runs_[id].denied = world_.now();
  if (another_has_it && what_->registered)
    runs_[id].residual = "R5";
}

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
  bool forgets = what_->kind == executor_kind::java || run.forgotten
                 || (what_->replicas > 1 && what_->registered && !run.residual.empty())
                 || (policy == core::unknown_policy::resend && what_->replicas > 1); // the other process never knew it
  if (forgets && (policy == core::unknown_policy::resend || (policy == core::unknown_policy::ask && !run.residual.empty())))
    most = 2;
  if (run.copied && (run.forgotten || what_->replicas > 1)) // no sender can prevent this
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
