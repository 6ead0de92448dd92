#pragma once

// The columns of a job that a declared file can contain, read into `core::job_record`.

#include <cstdint>
#include <string>

#include "core/editing/job_draft.hpp"
#include "storage/rows/job_option_row.hpp"

namespace ringmaster::storage {

/// The columns that a statement on `xxl_job_info i` selects for `exported_job_of`, before our own columns. `name`: the column of
/// the job's name in this schema.
#define RINGMASTER_EXPORT_COLUMNS(name)                                                                                          \
  "SELECT i.id, i.job_group, i." name ", i.author, i.alarm_email, i.schedule_type, i.schedule_conf, i.misfire_strategy, "        \
  "i.executor_route_strategy, i.executor_handler, i.executor_param, i.executor_block_strategy, i.executor_timeout, "             \
  "i.executor_fail_retry_count, i.glue_type, i.child_jobid, i.trigger_status"
/// The columns that follow where there is an `rm_job_ext x`.
#define RINGMASTER_EXPORT_OPTIONS                                                                                                \
  ", x.job_key, CASE WHEN x.job_key IS NULL THEN NULL ELSE x.source END, " RINGMASTER_OPTIONS_OF_X                               \
  " FROM xxl_job_info i LEFT JOIN rm_job_ext x ON x.job = i.id "

/// Reads a row. `with_options`: the second part was selected, too.
template <class Row>
[[nodiscard]] core::job_record exported_job_of(const Row& row, bool with_options) {
  core::job_record out;
  std::size_t at = 0;
  const auto text = [&row, &at] { return std::string{row.text(at++)}; };
  const auto small = [&row, &at] { return static_cast<std::int32_t>(row.number(at++)); };
  out.id = core::job_id{small()};
  out.group = core::group_id{small()};
  for (auto* each : {&out.name, &out.author, &out.alarm_email, &out.schedule_type, &out.schedule_conf, &out.misfire, &out.route,
                     &out.handler, &out.param, &out.block})
    *each = text();
  out.timeout_s = small();
  out.retry_count = small();
  out.glue_type = text();
  out.children = text();
  out.running = small() == 1;
  if (!with_options)
    return out;
  out.key = text();
  out.source = text();
  read_options(row, at, out);
  return out;
}

} // namespace ringmaster::storage
