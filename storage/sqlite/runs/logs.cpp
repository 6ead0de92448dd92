// Log rows for users.

#include "storage/sqlite/runs/logs.hpp"

#include <algorithm>

namespace ringmaster::storage::sqlite {

namespace {

#define RINGMASTER_LOG_COLUMNS                                                                                                   \
  "SELECT id, job_group, job_id, executor_address, executor_handler, executor_param, executor_sharding_param, "                  \
  "executor_fail_retry_count, "                                                                                                  \
  "trigger_time, trigger_code, trigger_msg, handle_time, handle_code, handle_msg, alarm_status FROM xxl_job_log "

constexpr char list_after[] = RINGMASTER_LOG_COLUMNS "WHERE id > ?1 ORDER BY id LIMIT ?2";
constexpr char read_open_group[] = "SELECT job_group FROM xxl_job_log WHERE id = ?1 AND handle_code = 0";
constexpr char read_one[] = RINGMASTER_LOG_COLUMNS "WHERE id = ?1";

#undef RINGMASTER_LOG_COLUMNS

core::log_row read_log_row(const statement& row, datetime_text& dates) {
  core::log_row log;
  log.id = row.id<core::log_id>(0);
  log.group = row.id<core::group_id>(1);
  log.job = row.id<core::job_id>(2);
  log.executor_address = row.text(3);
  log.executor_handler = row.text(4);
  log.executor_param = row.text(5);
  log.executor_sharding_param = row.text(6);
  log.fail_retry_count = row.small(7);
  log.trigger_time = dates.read(row.text(8)).value_or(core::time_point{});
  log.trigger_code = row.small(9);
  log.trigger_msg = row.text(10);
  log.handle_time = dates.read(row.text(11));
  log.handle_code = row.small(12);
  log.handle_msg = row.text(13);
  log.alarm_status = row.small(14);
  return log;
}

std::vector<core::log_id> ascending(std::span<const core::log_id> ids) {
  std::vector<core::log_id> wanted(ids.begin(), ids.end());
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  return wanted;
}

using log_rows = core::result<std::vector<core::log_row>>;

} // namespace

log_rows log_role::rows_after(core::log_id after, std::size_t limit) {
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> log_rows {
    std::vector<core::log_row> rows;
    auto listing = db.prepare(list_after);
    listing.with(after, limit);
    while (listing.step())
      rows.push_back(read_log_row(listing, own_.dates));
    return rows;
  });
}

log_rows log_role::rows(std::span<const core::log_id> ids) {
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> log_rows {
    std::vector<core::log_row> found;
    auto reading = db.prepare(read_one);
    for (auto id : ascending(ids))
      if (reading.with(id).step())
        found.push_back(read_log_row(reading, own_.dates));
    return found;
  });
}

log_role::run_groups log_role::without_result(std::span<const core::log_id> ids) {
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> run_groups {
    std::vector<std::pair<core::log_id, core::group_id>> found;
    auto reading = db.prepare(read_open_group);
    for (auto id : ascending(ids))
      if (reading.with(id).step())
        found.emplace_back(id, reading.id<core::group_id>(0));
    return found;
  });
}

} // namespace ringmaster::storage::sqlite
