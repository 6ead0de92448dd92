#include "storage/mysql/jobs/jobs.hpp"

#include <algorithm>

#include "storage/mysql/driver/batches.hpp"
#include "storage/mysql/firing/firing.hpp"
#include "storage/rows/job_row.hpp"

namespace ringmaster::storage::mysql {

namespace {

#define RINGMASTER_JOBS_AND_SCHEDULES(source)                                                                                    \
  "SELECT i.id, i.job_group, i.schedule_type, i.misfire_strategy, i.executor_route_strategy, i.executor_block_strategy,"         \
  " e.on_unknown, i.executor_timeout, i.executor_fail_retry_count, i.schedule_conf, i.executor_handler, i.executor_param,"       \
  " i.child_jobid, i.glue_type, i.glue_updatetime, s.next_ms, s.last_ms, s.revision, e.time_zone, e.interval_ms, e.start_at,"    \
  " e.end_at, e.jitter_ms, (SELECT mode = 'shared' FROM rm_mode WHERE id = 1), i.trigger_status, i.trigger_next_time,"           \
  " i.trigger_last_time, e.keep_logs, " source                                                                                   \
  " FROM xxl_job_info i LEFT JOIN rm_schedule s ON s.job = i.id LEFT JOIN rm_job_ext e ON e.job = i.id "
constexpr const char* jobs_and_schedules = RINGMASTER_JOBS_AND_SCHEDULES("i.glue_source");
constexpr const char* without_sources = RINGMASTER_JOBS_AND_SCHEDULES("NULL");
#undef RINGMASTER_JOBS_AND_SCHEDULES

job_row read_job(session& own, const rows& row, bool left_out) {
  job_row out;
  out.id = row.id<core::job_id>(0);
  out.group = row.id<core::group_id>(1);
  out.schedule_type = row.text(2);
  out.misfire = row.text(3);
  out.route = row.text(4);
  out.block = row.text(5);
  out.on_unknown = row.text(6);
  out.timeout_s = row.number32(7);
  out.retry_count = row.number32(8);
  out.schedule_conf = row.text(9);
  out.handler = row.text(10);
  out.param = row.text(11);
  out.child_jobs = row.text(12);
  out.glue_type = row.text(13);
  out.glue_updated = own.dates.read(row.text(14)).value_or(core::time_point{});
  out.time_zone = row.text(18);
  out.interval_ms = row.optional_number(19);
  out.start_ms = row.optional_number(20);
  out.end_ms = row.optional_number(21);
  out.jitter_ms = row.optional_number(22);
  out.keep_logs = row.number(27) == 1;
  out.glue_source = row.text(28);
  out.source_left_out = left_out;
  return out;
}

std::vector<core::scheduled_job> read_all(session& own, rows found, bool left_out) {
  std::vector<core::scheduled_job> out;
  while (found.next()) {
    core::scheduled_job one;
    one.spec = job_of(read_job(own, found, left_out));
    // In shared mode the schedule is XXL's table.
    const bool shared = found.number(23) == 1;
    if (const auto next = !shared ? found.number(15) : found.number(24) == 1 ? found.number(25) : 0; core::is_time(next))
      one.next = core::from_ms(next);
    one.last = core::from_ms(shared ? std::max(found.number(16), found.number(26)) : found.number(16));
    one.revision = found.number(17);
    out.push_back(std::move(one));
  }
  return out;
}

} // namespace

std::vector<core::scheduled_job> select_jobs(session& own, std::span<const core::job_id> jobs) {
  std::vector<core::scheduled_job> out;
  const auto wanted = sorted(jobs);
  for (const auto part : padded_chunks(wanted.size())) {
    auto& some = own.db.prepare({jobs_and_schedules, "WHERE i.id IN ({?,}) ORDER BY i.id"}, part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(wanted[part.at(i)]);
    auto read = read_all(own, some.select(), false);
    std::move(read.begin(), read.end(), std::back_inserter(out));
  }
  return out;
}

core::result<std::vector<core::scheduled_job>> firing_role::load_jobs(const core::slot_set& slots, core::job_id after,
                                                                      std::size_t limit) {
  std::string wanted(core::slot_count, '0');
  for (std::size_t slot = 0; slot < core::slot_count; ++slot)
    if (slots.test(slot))
      wanted[slot] = '1';
  return own_.db.read([&]() -> core::result<std::vector<core::scheduled_job>> {
    return read_all(own_,
                    own_.db.query({without_sources,
                                   "WHERE i.id > ? AND SUBSTRING(?, (i.id & 255) + 1, 1) = '1' ORDER BY i.id LIMIT ?"},
                                  after, wanted, limit),
                    true);
  });
}

core::result<std::int64_t> firing_role::last_revision() {
  return own_.db.read([&]() -> core::result<std::int64_t> {
    auto row = own_.db.query("SELECT counter FROM rm_edit WHERE id = 1");
    return row.next() ? row.number(0) : 0;
  });
}

core::result<std::vector<core::scheduled_job>> firing_role::edits_since(std::int64_t revision, std::size_t limit,
                                                                        core::job_id after) {
  return own_.db.read([&]() -> core::result<std::vector<core::scheduled_job>> {
    return read_all(own_,
                    own_.db.query({without_sources,
                                   "WHERE s.revision >= ? AND (s.revision > ? OR s.job > ?) ORDER BY s.revision, s.job LIMIT ?"},
                                  after == core::last_job_id ? revision + 1 : revision, revision, after, limit),
                    true);
  });
}

core::result<std::vector<core::scheduled_job>> firing_role::read_jobs(std::span<const core::job_id> jobs) {
  return own_.db.read([&]() -> core::result<std::vector<core::scheduled_job>> { return select_jobs(own_, jobs); });
}

} // namespace ringmaster::storage::mysql
