#include "storage/mysql/intent_check.hpp"

#include <unordered_map>

#include "storage/claim_rules.hpp"
#include "storage/job_row.hpp"
#include "storage/mysql/batches.hpp"

namespace ringmaster::storage::mysql {

namespace {

/// A schedule that ended with what was reserved has status 0 and the last of its instants (see T1s).
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

/// From the intents to their jobs, so that no other job is locked.
constexpr const char* as_planned =
  "SELECT STRAIGHT_JOIN n.id, " RINGMASTER_AS_RESERVED ","
  " i.id, i.job_group, i.executor_route_strategy, i.executor_block_strategy, e.on_unknown, i.executor_timeout,"
  " i.executor_fail_retry_count, i.executor_handler, i.executor_param, i.child_jobid, i.glue_type, i.glue_updatetime"
  " FROM rm_intent n FORCE INDEX (PRIMARY) JOIN xxl_job_info i FORCE INDEX (PRIMARY) ON i.id = n.job"
  " LEFT JOIN rm_job_ext e ON e.job = i.id WHERE n.id IN ({?,})";

#undef RINGMASTER_AS_RESERVED

} // namespace

void keep_edits_off(session& own, const core::claim_batch& batch) {
  std::vector<core::job_id> jobs;
  for (const auto& run : batch.runs)
    if (!core::is_reserved(run.kind))
      jobs.push_back(run.spec->id);
  jobs = sorted(std::span<const core::job_id>{jobs});
  for (const auto part : padded_chunks(jobs.size())) {
    auto& some = own.db.prepare(
      "SELECT job FROM rm_schedule FORCE INDEX (PRIMARY) WHERE job IN ({?,}) ORDER BY job LOCK IN SHARE MODE", part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(jobs[part.at(i)]);
    (void) some.select();
  }
}

intent_verdicts check_intents(session& own, const core::claim_batch& batch, const std::vector<core::intent_id>& intents) {
  std::unordered_map<std::int64_t, const core::job*> planned;
  for (const auto& run : batch.runs)
    if (run.intent)
      planned.emplace(core::number(*run.intent), run.spec.get());
  intent_verdicts out;
  for (const auto part : padded_chunks(intents.size())) {
    auto& some = own.db.prepare(batch.shared ? sql{as_planned} : sql{as_planned, " LOCK IN SHARE MODE"}, part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(intents[part.at(i)]);
    for (auto found = some.select(); found.next();) {
      const auto id = found.number(0);
      const auto spec = planned.find(id);
      if (found.number(1) == 0)
        out.changed.insert(id);
      else if (spec != planned.end() && !runs_alike(*read_definition(own, found), *spec->second))
        out.stale.insert(id);
      else
        out.sound.insert(id);
    }
  }
  return out;
}

} // namespace ringmaster::storage::mysql
