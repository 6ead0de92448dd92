#include "storage/mysql/runs/logs.hpp"

#include "storage/mysql/driver/batches.hpp"

namespace ringmaster::storage::mysql {

namespace {

constexpr const char* log_rows =
  "SELECT id, job_group, job_id, executor_address, executor_handler, executor_param, executor_sharding_param, "
  "executor_fail_retry_count,"
  " trigger_time, trigger_code, trigger_msg, handle_time, handle_code, handle_msg, alarm_status FROM xxl_job_log ";

core::log_row read_row(session& own, const rows& row) {
  core::log_row out;
  out.id = row.id<core::log_id>(0);
  out.group = row.id<core::group_id>(1);
  out.job = row.id<core::job_id>(2);
  out.executor_address = row.string(3);
  out.executor_handler = row.string(4);
  out.executor_param = row.string(5);
  out.executor_sharding_param = row.string(6);
  out.fail_retry_count = row.number32(7);
  out.trigger_time = own.dates.read(row.text(8)).value_or(core::time_point{});
  out.trigger_code = row.number32(9);
  out.trigger_msg = row.string(10);
  out.handle_time = own.dates.read(row.text(11));
  out.handle_code = row.number32(12);
  out.handle_msg = row.string(13);
  out.alarm_status = row.number32(14);
  return out;
}

} // namespace

core::result<std::vector<core::log_row>> log_role::rows_after(core::log_id after, std::size_t limit) {
  return own_.db.read([&]() -> core::result<std::vector<core::log_row>> {
    std::vector<core::log_row> out;
    auto found = own_.db.query({log_rows, "WHERE id > ? ORDER BY id LIMIT ?"}, after, limit);
    while (found.next())
      out.push_back(read_row(own_, found));
    return out;
  });
}

core::result<std::vector<core::log_row>> log_role::rows(std::span<const core::log_id> ids) {
  return own_.db.read([&]() -> core::result<std::vector<core::log_row>> {
    std::vector<core::log_row> out;
    const auto wanted = sorted(ids);
    for (const auto part : padded_chunks(wanted.size())) {
      auto& some = own_.db.prepare({log_rows, "WHERE id IN ({?,}) ORDER BY id"}, part.rows);
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(wanted[part.at(i)]);
      auto found = some.select();
      while (found.next())
        out.push_back(read_row(own_, found));
    }
    return out;
  });
}

log_role::run_groups log_role::without_result(std::span<const core::log_id> ids) {
  return own_.db.read([&]() -> run_groups {
    std::vector<std::pair<core::log_id, core::group_id>> out;
    const auto wanted = sorted(ids);
    for (const auto part : padded_chunks(wanted.size())) {
      auto& some = own_.db.prepare({"SELECT id, job_group FROM xxl_job_log WHERE id IN ({?,}) AND handle_code = 0 ORDER BY id"},
                                   part.rows);
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(wanted[part.at(i)]);
      auto found = some.select();
      while (found.next())
        out.emplace_back(found.id<core::log_id>(0), found.id<core::group_id>(1));
    }
    return out;
  });
}

} // namespace ringmaster::storage::mysql
