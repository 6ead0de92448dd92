#include "tests/simulation/shared_checker.hpp"

#include <algorithm>
#include <utility>

namespace ringmaster::simulation {

namespace {

/// Maximal time that a planner takes ahead of its clock. A Java admin takes a second less; there its console lets a job begin.
constexpr core::milliseconds reserved_ahead{6000};
constexpr core::milliseconds taken_ahead{5000};
constexpr core::milliseconds misfire_after{5000};
/// Maximal delay of a firing that is on time.
constexpr core::milliseconds punctual{50};

std::string text(const std::pair<std::int32_t, core::time_point>& which) {
  return "instant " + std::to_string(core::to_ms(which.second)) + " of job " + std::to_string(which.first);
}

} // namespace

void shared_checker::tally::add(const tally& other) {
  reserved += other.reserved;
  claimed += other.claimed;
  given_back += other.given_back;
  dropped += other.dropped;
  java_fired += other.java_fired;
  java_lost += other.java_lost;
  java_left_out += other.java_left_out;
  residuals += other.residuals;
  java_misfires += other.java_misfires;
  console_edits += other.console_edits;
  edits_across_switches += other.edits_across_switches;
  switches += other.switches;
  failed_switches += other.failed_switches;
}

bool shared_checker::is_excused(const instant& which) const {
  const auto job = jobs_.find(which.first);
  if (job == jobs_.end())
    return false;
  const auto& [number, book] = *job;
  return (book.shown_from && *book.shown_from <= which.second)
         || std::any_of(book.excused.begin(), book.excused.end(),
                        [&](const auto& one) { return one.from <= which.second && which.second <= one.to; });
}

void shared_checker::check_once(const instant& which) {
  const auto& book = instants_[which];
  if (book.runs + book.java_fired <= 1)
    return;
  if (is_excused(which) && book.runs <= 1)
    ++counts_.residuals;
  else
    seen_.broken("F2", text(which) + " is fired " + std::to_string(book.runs) + " times by Ringmaster and " +
                         std::to_string(book.java_fired) + " times by Java admins");
}

// -- Ringmaster ------------------------------------------------------------------------------------------------------------

void shared_checker::intended(const core::intent& made, const std::string&) {
  const instant which{core::number(made.job), made.fire_at};
  intents_[core::number(made.id)] = which;
  instants_[which].intended = true;
  instants_[which].owed = false;
  ++counts_.reserved;
}

void shared_checker::reserved(const xxl_row& before, const xxl_row& after, core::time_point now) {
  const auto job = core::number(before.id);
  if (after.has_next() && after.next <= before.next)
    seen_.broken("F8", "the next time of job " + std::to_string(job) + " does not grow");
  const auto to = after.has_next() ? after.next : now + std::chrono::hours{1};
  for (auto at : instants_between(rule_of(before), before.next, to)) {
    auto& book = instants_[{job, at}];
    book.owed = false;
    if (!book.intended && now <= before.next + misfire_after)
      seen_.broken("F1", text({job, at}) + " is left out by a reservation");
  }
}

void shared_checker::claimed(const core::claim_batch& batch, const core::claim_outcome& outcome) {
  for (const auto& move : batch.moves)
    if (std::find(outcome.lost_races.begin(), outcome.lost_races.end(), move.job) == outcome.lost_races.end())
      passed_over(core::number(move.job), move.expected_next, move.next);
  for (const auto& run : outcome.runs)
    claimed(run);
}

void shared_checker::claimed(const core::claimed_run& run) {
  instant which{core::number(run.plan.spec->id), run.plan.fire_at};
  if (run.plan.intent) {
    const auto intent = intents_.find(core::number(*run.plan.intent));
    if (intent == intents_.end())
      return; // a child, a retry
    which = intent->second;
  } else if (run.plan.kind != core::trigger_kind::cron) {
    return;
  }
  if (run.plan.part.index != 0)
    return; // another shard of a broadcast
  ++counts_.claimed;
  auto& book = instants_[which];
  ++book.runs;
  book.owed = false;
  if (seen_.on_time && seen_.now() > which.second + punctual)
    seen_.broken("lateness", text(which) + " is claimed at " + std::to_string(core::to_ms(seen_.now())));
  check_once(which);
}

void shared_checker::missed(core::intent_id intent, core::time_point now) {
  const auto which = intents_.at(core::number(intent));
  instants_[which].intended = false;
  // A later one of its job may represent it, which is a misfire, too.
  if (now + seen_.spread < which.second + misfire_after)
    seen_.broken("F1", text(which) + " is dropped as a misfire and is not one");
}

void shared_checker::dropped(core::intent_id intent, const xxl_row& row) {
  const auto which = intents_.at(core::number(intent));
  auto& book = instants_[which];
  const auto& job = jobs_[which.first];
  ++counts_.dropped;
  book.intended = false;
  if (!row.running && !job.stopped)
    ++counts_.residuals; // a Java admin took the schedule's last instant, which looks like a stop
  else if (row.running && row.next <= which.second)
    book.owed = true;
}

void shared_checker::changed(core::intent_id intent) {
  const auto which = intents_.at(core::number(intent));
  if (!is_excused(which))
    seen_.broken("S3", text(which) + " is claimed although its job is not as it was reserved");
}

void shared_checker::given_back(const xxl_row&, const xxl_row&, const std::vector<core::intent_id>& intents) {
  for (auto intent : intents) {
    auto& book = instants_[intents_.at(core::number(intent))];
    book.intended = false;
    book.owed = true;
  }
  counts_.given_back += intents.size();
}

void shared_checker::edited(const xxl_row& after, bool anew, core::cluster_mode mode) {
  if (!anew)
    return;
  const auto job = core::number(after.id);
  if (mode == core::cluster_mode::native)
    ends_show(job);
  auto& book = jobs_[job];
  const auto now = seen_.now();
  // A Java admin has removed the last instant, and it may have some in memory after Ringmaster's earliest start.
  if (after.running && now < book.wiped_out + core::milliseconds{1000} + seen_.spread)
    excuse(job, after.next, now + reserved_ahead + seen_.spread);
  book.stopped = book.stopped_by_us = !after.running;
  forget_debts(job, true);
}

void shared_checker::forget_debts(std::int32_t job, bool intents_too) {
  for (auto one = instants_.lower_bound({job, core::time_point::min()}); one != instants_.end() && one->first.first == job;
       ++one) {
    one->second.owed = false;
    if (intents_too)
      one->second.intended = false;
  }
}

void shared_checker::passed_over(std::int32_t job, core::time_point from, std::optional<core::time_point> to) {
  for (auto one = instants_.lower_bound({job, from}); one != instants_.end() && one->first.first == job; ++one)
    if (!to || one->first.second < *to)
      one->second.owed = false;
}

void shared_checker::taken_over(const std::vector<xxl_row>& rows, const next_times& planned) {
  ++counts_.switches;
  for (const auto& row : rows) {
    const auto job = core::number(row.id);
    if (row.next == far_future)
      continue; // a console saved a row that it had read in native mode
    if (!row.running || !row.has_next())
      continue;
    const auto next = planned.at(job);
    for (auto at : instants_between(rule_of(row), row.next, std::max(next, row.next)))
      seen_.broken("takeover", text({job, at}) + " is left out by the switch");
  }
}

void shared_checker::handed_back(const next_times& planned, const std::vector<xxl_row>& rows) {
  ++counts_.switches;
  for (const auto& row : rows) {
    const auto job = core::number(row.id);
    ends_show(job);
    const auto next = planned.find(job);
    if (row.running && next != planned.end() && core::to_ms(next->second) != 0
        && next->second != far_future && row.next != next->second)
      seen_.broken("takeover --back", "job " + std::to_string(job) + " does not continue where it stood");
  }
}

// -- Java admins -----------------------------------------------------------------------------------------------------------

void shared_checker::java_took(const xxl_row& before, const xxl_row& after, const std::vector<core::time_point>& instants,
                               core::cluster_mode mode) {
  const auto job = core::number(after.id);
  if (mode == core::cluster_mode::native && !jobs_[job].shown_from)
    seen_.broken("takeover", "a Java admin plans job " + std::to_string(job) + " in native mode");
  if (jobs_[job].stopped_by_us && !before.running && after.running)
    seen_.broken("S2", "the stop of job " + std::to_string(job) + " is undone by a Java admin's pass");
  if (before.running && !after.running)
    jobs_[job].wiped_out = seen_.now();
  if (before.running && after.running && before.type == "CRON")
    for (auto at : instants_between(rule_of(before), before.next, after.next))
      counts_.java_left_out += std::find(instants.begin(), instants.end(), at) == instants.end() ? 1 : 0;
  for (auto at : instants)
    instants_[{job, at}].owed = false;
  passed_over(job, before.next, after.has_next() ? std::optional{after.next} : std::nullopt);
}

void shared_checker::java_fired(core::job_id job, core::time_point at) {
  const instant which{core::number(job), at};
  ++counts_.java_fired;
  ++instants_[which].java_fired;
  check_once(which);
}

void shared_checker::java_misfired(core::job_id job, core::time_point at) {
  ++counts_.java_misfires;
  java_fired(job, at);
}

void shared_checker::java_lost(core::job_id, core::time_point) { ++counts_.java_lost; }

void shared_checker::java_rolled_back(core::job_id job, core::time_point at) { excuse(core::number(job), at, at); }

void shared_checker::ends_show(std::int32_t job) {
  if (const auto from = std::exchange(jobs_[job].shown_from, std::nullopt))
    excuse(job, *from, seen_.now() + reserved_ahead + seen_.spread);
}

void shared_checker::java_saved(const console_save& edit, core::cluster_mode mode) {
  ++counts_.console_edits;
  counts_.edits_across_switches += edit.read_in != mode ? 1 : 0;
  const auto job = core::number(edit.after.id);
  auto& book = jobs_[job];
  const auto now = seen_.now();
  if (mode == core::cluster_mode::native && edit.after.running && edit.after.next != far_future)
    book.shown_from = std::min(book.shown_from.value_or(edit.after.next), edit.after.next);
  const bool undoes = edit.as_read != edit.before;
  if (undoes) // decisions since it read the row are lost
    excuse(job, std::min(edit.as_read.next, edit.before.next), now + reserved_ahead + seen_.spread);
  const bool begins_anew = edit.after.running && edit.after.last == core::time_point{} && edit.as_read.last != core::time_point{};
  if (edit.as_read.running && (!edit.after.running || begins_anew))
    book.wiped_out = now;
  const bool begins = edit.after.running && edit.after.next != edit.as_read.next;
  const bool was_running = edit.as_read.running && edit.as_read.conf == edit.after.conf;
  const bool too_soon = was_running || now < book.wiped_out + core::milliseconds{1000} + seen_.spread;
  if (begins) // instants in the memory of planners whose clocks are ahead, or that were taken before a recent stop
    excuse(job, edit.after.next, now + (too_soon ? reserved_ahead : taken_ahead) + seen_.spread);
  book.stopped = !edit.after.running;
  book.stopped_by_us = book.stopped_by_us && !edit.after.running;
  if (undoes || begins || book.stopped)
    forget_debts(job, false);
}

// -- the end ---------------------------------------------------------------------------------------------------------------

void shared_checker::judge_end() {
  for (const auto& [which, book] : instants_) {
    if (book.intended && book.runs == 0 && book.java_fired == 0)
      seen_.broken("F1", text(which) + " was reserved and never claimed");
    if (book.owed && !is_excused(which))
      seen_.broken("F1", text(which) + " was given back or dropped, to be taken again, and was not taken");
  }
}

} // namespace ringmaster::simulation
