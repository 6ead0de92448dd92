// Log rows for users.

#include "storage/admin/logs.hpp"

#include <algorithm>

namespace ringmaster::storage {

namespace {

#define RINGMASTER_LOG_ROWS                                                                                                      \
  "SELECT id, job_group, job_id, executor_address, executor_handler, executor_param, executor_sharding_param, "                  \
  "executor_fail_retry_count, trigger_time, trigger_code, trigger_msg, handle_time, handle_code, handle_msg, alarm_status"       \
  " FROM xxl_job_log "

core::log_row read_row(admin_session& own, const sql_rows& row) {
  core::log_row out;
  out.id = row.id<core::log_id>(0);
  out.group = row.id<core::group_id>(1);
  out.job = row.id<core::job_id>(2);
  out.executor_address = row.string(3);
  out.executor_handler = row.string(4);
  out.executor_param = row.string(5);
  out.executor_sharding_param = row.string(6);
  out.fail_retry_count = row.number32(7);
  out.trigger_time = own.dates().read(row.text(8)).value_or(core::time_point{});
  out.trigger_code = row.number32(9);
  out.trigger_msg = row.string(10);
  out.handle_time = own.dates().read(row.text(11));
  out.handle_code = row.number32(12);
  out.handle_msg = row.string(13);
  out.alarm_status = row.number32(14);
  return out;
}

std::vector<core::log_id> ascending(std::span<const core::log_id> ids) {
  std::vector<core::log_id> wanted(ids.begin(), ids.end());
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  return wanted;
}

} // namespace

core::result<std::vector<core::log_row>> log_role::rows_after(core::log_id after, std::size_t limit) {
  return own_.read([&]() -> core::result<std::vector<core::log_row>> {
    std::vector<core::log_row> out;
    auto found = own_.query(RINGMASTER_LOG_ROWS "WHERE id > ? ORDER BY id LIMIT ?", after, limit);
    while (found.next())
      out.push_back(read_row(own_, found));
    return out;
  });
}

core::result<std::vector<core::log_row>> log_role::rows(std::span<const core::log_id> ids) {
  return own_.read([&]() -> core::result<std::vector<core::log_row>> {
    std::vector<core::log_row> out;
    own_.query_in(RINGMASTER_LOG_ROWS "WHERE id IN ({?,}) ORDER BY id", ascending(ids),
                  [&](const sql_rows& row) { out.push_back(read_row(own_, row)); });
    return out;
  });
}

log_role::run_groups log_role::without_result(std::span<const core::log_id> ids) {
  return own_.read([&]() -> run_groups {
    std::vector<std::pair<core::log_id, core::group_id>> out;
    own_.query_in("SELECT id, job_group FROM xxl_job_log WHERE id IN ({?,}) AND handle_code = 0 ORDER BY id", ascending(ids),
                  [&](const sql_rows& row) { out.emplace_back(row.id<core::log_id>(0), row.id<core::group_id>(1)); });
    return out;
  });
}

#undef RINGMASTER_LOG_ROWS

} // namespace ringmaster::storage
