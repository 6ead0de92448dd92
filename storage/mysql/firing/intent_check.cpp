#include "storage/mysql/firing/intent_check.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "core/run/claim_rules.hpp"
#include "storage/mysql/driver/batches.hpp"
#include "storage/rows/job_row.hpp"

namespace ringmaster::storage::mysql {

namespace {

/// Condition: the job is still as it was reserved. A schedule that ended with its reserved instants has status 0 and the last of
/// these instants (see T1s).
#define RINGMASTER_AS_RESERVED                                                                                                   \
  "n.kind NOT IN ('cron', 'misfire') OR (CONCAT(i.schedule_type, ' ', COALESCE(i.schedule_conf, '')) = n.schedule"               \
  " AND ((i.trigger_status = 1 AND i.trigger_next_time > n.fire_ms) OR (i.trigger_status = 0 AND i.trigger_next_time = 0"        \
  " AND i.trigger_last_time >= n.fire_ms)))"

core::job_ptr read_definition(session& own, const rows& row) {
  job_row out;
  out.id = row.id<core::job_id>(2);
  out.group = row.id<core::group_id>(3);
  out.route = row.text(4);
  out.block = row.text(5);
  out.on_unknown = row.text(6);
  out.timeout_s = row.number32(7);
  out.retry_count = row.number32(8);
  out.handler = row.text(9);
  out.param = row.text(10);
  out.child_jobs = row.text(11);
  out.glue_type = row.text(12);
  out.glue_updated = own.dates.read(row.text(13)).value_or(core::time_point{});
  return job_of(out);
}

/// Reads from the intents to their jobs, so that no other job is locked.
constexpr const char* as_planned =
  "SELECT STRAIGHT_JOIN n.id, " RINGMASTER_AS_RESERVED ","
  " i.id, i.job_group, i.executor_route_strategy, i.executor_block_strategy, e.on_unknown, i.executor_timeout,"
  " i.executor_fail_retry_count, i.executor_handler, i.executor_param, i.child_jobid, i.glue_type, i.glue_updatetime"
  " FROM rm_intent n FORCE INDEX (PRIMARY) JOIN xxl_job_info i FORCE INDEX (PRIMARY) ON i.id = n.job"
  " LEFT JOIN rm_job_ext e ON e.job = i.id WHERE n.id IN ({?,})";

#undef RINGMASTER_AS_RESERVED

constexpr const char* schedules_of = "SELECT job FROM rm_schedule FORCE INDEX (PRIMARY) WHERE job IN ({?,}) ORDER BY job";

/// One query with a shared lock that waits for others, or that leaves out rows that others hold.
struct shared_reading {
  sql waits;
  sql skips;
  sql skips_on_mysql;

  consteval explicit shared_reading(const char* text)
    : waits{text, " LOCK IN SHARE MODE"},
      skips{text, " LOCK IN SHARE MODE SKIP LOCKED"},
      skips_on_mysql{text, " FOR SHARE SKIP LOCKED"} {}

  [[nodiscard]] const sql& text(const lock_skills& of, bool leave_out) const noexcept {
    return !leave_out ? waits : of.for_share ? skips_on_mysql : skips;
  }
};

constexpr shared_reading locked_as_planned{as_planned};
constexpr shared_reading locked_schedules{schedules_of};

std::unordered_set<std::int64_t> read_jobs_of(session& own, const std::vector<core::job_id>& jobs, const sql& text) {
  std::unordered_set<std::int64_t> out;
  for (const auto part : padded_chunks(jobs.size())) {
    auto& some = own.db.prepare(text, part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(jobs[part.at(i)]);
    for (auto found = some.select(); found.next();)
      out.insert(found.number(0));
  }
  return out;
}

/// Inserts missing rows of schedules: a job from a Java console has no row, and without a row to lock no edit is blocked. Its
/// first edit would insert the row, too. Waits for a row that an edit has inserted in between.
void insert_schedules(session& own, const std::vector<core::job_id>& jobs) {
  for (const auto part : padded_chunks(jobs.size())) {
    auto& some = own.db.prepare(
      "INSERT IGNORE INTO rm_schedule (job) SELECT id FROM xxl_job_info WHERE id IN ({?,}) ORDER BY id", part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(jobs[part.at(i)]);
    some.run();
  }
}

using planned_jobs = std::unordered_map<std::int64_t, const core::job*>;

/// Judges the intents. `text`: `as_planned`, with or without locks.
void judge(session& own, const std::vector<core::intent_id>& intents, const sql& text, const planned_jobs& planned,
           intent_verdicts& out) {
  for (const auto part : padded_chunks(intents.size())) {
    auto& some = own.db.prepare(text, part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(intents[part.at(i)]);
    for (auto found = some.select(); found.next();) {
      const auto id = found.number(0);
      const auto spec = planned.find(id);
      if (found.number(1) == 0)
        out.changed.insert(id);
      else if (spec != planned.end() && !core::runs_alike(*read_definition(own, found), *spec->second))
        out.stale.insert(id);
      else
        out.sound.insert(id);
    }
  }
}

std::vector<core::intent_id> among(const std::vector<core::intent_id>& intents, const std::unordered_set<std::int64_t>& wanted) {
  std::vector<core::intent_id> out;
  std::copy_if(intents.begin(), intents.end(), std::back_inserter(out),
               [&wanted](core::intent_id id) { return wanted.contains(core::number(id)); });
  return out;
}

std::vector<core::intent_id> unjudged(const std::vector<core::intent_id>& intents, const intent_verdicts& known) {
  std::vector<core::intent_id> out;
  for (const auto id : intents)
    if (const auto number = core::number(id);
        !known.sound.contains(number) && !known.changed.contains(number) && !known.stale.contains(number))
      out.push_back(id);
  return out;
}

} // namespace

std::unordered_set<std::int64_t> keep_edits_off(session& own, const core::claim_batch& batch, bool leave_out) {
  std::vector<core::job_id> jobs;
  for (const auto& run : batch.runs)
    if (!core::is_reserved(run.kind))
      jobs.push_back(run.spec->id);
  jobs = sorted(std::span<const core::job_id>{jobs});
  const bool skips = leave_out && own.db.skills().skip;
  const auto held = read_jobs_of(own, jobs, locked_schedules.text(own.db.skills(), skips));
  std::erase_if(jobs, [&held](core::job_id job) { return held.contains(core::number(job)); });
  std::unordered_set<std::int64_t> left_out;
  if (skips && !jobs.empty())
    left_out = read_jobs_of(own, jobs, schedules_of);
  std::erase_if(jobs, [&left_out](core::job_id job) { return left_out.contains(core::number(job)); });
  insert_schedules(own, jobs);
  return left_out;
}

intent_verdicts check_intents(session& own, const core::claim_batch& batch, const std::vector<core::intent_id>& intents,
                              bool leave_out) {
  planned_jobs planned;
  for (const auto& run : batch.runs)
    if (run.intent)
      planned.emplace(core::number(*run.intent), run.spec.get());
  intent_verdicts out;
  if (batch.shared) {
    judge(own, intents, as_planned, planned, out);
    return out;
  }
  const bool skips = leave_out && own.db.skills().skip;
  judge(own, intents, locked_as_planned.text(own.db.skills(), skips), planned, out);
  if (!skips)
    return out;
  // If only the row of a job's options was left out, the job looks as if it had none.
  const std::vector<core::intent_id> doubtful = among(intents, out.stale);
  intent_verdicts again;
  judge(own, doubtful, as_planned, planned, again);
  for (const auto id : again.sound)
    if (out.stale.erase(id) > 0)
      out.locked.insert(id);
  intent_verdicts beside;
  judge(own, unjudged(intents, out), as_planned, planned, beside);
  for (const auto* some : {&beside.sound, &beside.changed, &beside.stale})
    out.locked.insert(some->begin(), some->end());
  return out;
}

} // namespace ringmaster::storage::mysql
