// Definitions and schedules of jobs, in one joined read.

#include <algorithm>

#include "storage/rows/job_row.hpp"
#include "storage/sqlite/firing/firing.hpp"

namespace ringmaster::storage::sqlite {

namespace {

#define RINGMASTER_JOB_COLUMNS                                                                                                   \
  "SELECT i.id, i.job_group, i.schedule_type, i.schedule_conf, i.misfire_strategy, i.executor_route_strategy, "                  \
  "i.executor_block_strategy, x.on_unknown, i.executor_handler, i.executor_param, i.child_jobid, i.glue_type, "                  \
  "i.glue_updatetime, i.executor_timeout, i.executor_fail_retry_count, s.next_ms, s.last_ms, s.revision, "                       \
  "x.time_zone, x.interval_ms, x.start_at, x.end_at, x.jitter_ms, x.keep_logs, "
#define RINGMASTER_JOB_TABLES                                                                                                    \
  "FROM xxl_job_info i LEFT JOIN rm_schedule s ON s.job = i.id LEFT JOIN rm_job_ext x ON x.job = i.id "

constexpr char load[] = RINGMASTER_JOB_COLUMNS "NULL " RINGMASTER_JOB_TABLES "WHERE i.id > ?1 ORDER BY i.id";
constexpr char load_one[] = RINGMASTER_JOB_COLUMNS "i.glue_source " RINGMASTER_JOB_TABLES "WHERE i.id = ?1";
// The index on the revision leads; a removed job has no edit.
constexpr char load_edited[] = RINGMASTER_JOB_COLUMNS "NULL FROM rm_schedule s JOIN xxl_job_info i ON i.id = s.job "
                                                      "LEFT JOIN rm_job_ext x ON x.job = i.id "
                                                      "WHERE s.revision >= ?4 AND (s.revision > ?1 OR s.job > ?3) "
                                                      "ORDER BY s.revision, s.job LIMIT ?2";

#undef RINGMASTER_JOB_TABLES
#undef RINGMASTER_JOB_COLUMNS

core::scheduled_job read_scheduled_job(const statement& row, datetime_text& dates, bool with_source) {
  job_row columns;
  columns.id = row.id<core::job_id>(0);
  columns.group = row.id<core::group_id>(1);
  columns.schedule_type = row.text(2);
  columns.schedule_conf = row.text(3);
  columns.misfire = row.text(4);
  columns.route = row.text(5);
  columns.block = row.text(6);
  columns.on_unknown = row.text(7);
  columns.handler = row.text(8);
  columns.param = row.text(9);
  columns.child_jobs = row.text(10);
  columns.glue_type = row.text(11);
  columns.glue_updated = dates.read(row.text(12)).value_or(core::time_point{});
  columns.timeout_s = row.small(13);
  columns.retry_count = row.small(14);
  columns.time_zone = row.text(18);
  columns.interval_ms = row.optional_number(19);
  columns.start_ms = row.optional_number(20);
  columns.end_ms = row.optional_number(21);
  columns.jitter_ms = row.optional_number(22);
  columns.keep_logs = row.number(23) == 1;
  columns.glue_source = row.text(24);
  columns.source_left_out = !with_source;
  core::scheduled_job job{job_of(columns), std::nullopt, row.time_ms(16), row.number(17)};
  if (core::is_time(row.number(15)))
    job.next = row.time_ms(15);
  return job;
}

using scheduled_jobs = core::result<std::vector<core::scheduled_job>>;

} // namespace

std::optional<core::scheduled_job> find_job(session& own, core::job_id job) {
  auto reading = own.db->prepare(load_one);
  return reading.with(job).step() ? std::optional{read_scheduled_job(reading, own.dates, true)} : std::nullopt;
}

scheduled_jobs firing_role::load_jobs(const core::slot_set& slots, core::job_id after, std::size_t limit) {
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> scheduled_jobs {
    std::vector<core::scheduled_job> jobs;
    auto listing = db.prepare(load);
    listing.with(after);
    // The columns of a skipped row are never decoded.
    while (jobs.size() < limit && listing.step())
      if (slots.test(core::slot_of(listing.id<core::job_id>(0))))
        jobs.push_back(read_scheduled_job(listing, own_.dates, false));
    return jobs;
  });
}

core::result<std::int64_t> firing_role::last_revision() {
  return within(*own_.db, transaction_kind::read, [](connection& db) -> core::result<std::int64_t> {
    auto reading = db.prepare("SELECT counter FROM rm_edit WHERE id = 1");
    return reading.with().step() ? reading.number(0) : 0;
  });
}

scheduled_jobs firing_role::edits_since(std::int64_t revision, std::size_t limit, core::job_id after) {
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> scheduled_jobs {
    std::vector<core::scheduled_job> jobs;
    auto listing = db.prepare(load_edited);
    listing.with(revision, limit, after, after == core::last_job_id ? revision + 1 : revision);
    while (listing.step())
      jobs.push_back(read_scheduled_job(listing, own_.dates, false));
    return jobs;
  });
}

scheduled_jobs firing_role::read_jobs(std::span<const core::job_id> jobs) {
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> scheduled_jobs {
    std::vector<core::job_id> wanted(jobs.begin(), jobs.end());
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    std::vector<core::scheduled_job> found;
    auto reading = db.prepare(load_one);
    for (auto id : wanted)
      if (reading.with(id).step())
        found.push_back(read_scheduled_job(reading, own_.dates, true));
    return found;
  });
}

} // namespace ringmaster::storage::sqlite
