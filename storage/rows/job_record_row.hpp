#pragma once

// All columns of a job, read into `core::job_record`.

#include <cstdint>
#include <string>

#include "core/editing/job_draft.hpp"
#include "storage/rows/datetime_text.hpp"
#include "storage/rows/job_option_row.hpp"
#include "storage/rows/job_row.hpp"

namespace ringmaster::storage {

/// The columns that a statement on `xxl_job_info i`, `rm_schedule s`, `rm_job_ext x` and `rm_stop p` selects for `record_of`,
/// except the four numbers that follow: next time, last sent instant, last missed instant, and revision. `name`: the column of
/// the job's name in this schema.
#define RINGMASTER_RECORD_COLUMNS(name)                                                                                          \
  "SELECT i.id, i.job_group, i." name ", i.add_time, i.update_time, i.author, i.alarm_email, i.schedule_type, i.schedule_conf, " \
  "i.misfire_strategy, i.executor_route_strategy, i.executor_handler, i.executor_param, i.executor_block_strategy, "             \
  "i.executor_timeout, i.executor_fail_retry_count, i.glue_type, i.glue_source, i.glue_remark, i.glue_updatetime, "              \
  "i.child_jobid, i.trigger_status, x.job_key, CASE WHEN x.job_key IS NULL THEN NULL ELSE x.source END, "                        \
  RINGMASTER_OPTIONS_OF_X ", p.user_name, p.at_ms, "

template <class Row>
[[nodiscard]] core::job_record record_of(const Row& row, datetime_text& dates) {
  core::job_record out;
  std::size_t at = 0;
  const auto text = [&row, &at] { return std::string{row.text(at++)}; };
  const auto small = [&row, &at] { return static_cast<std::int32_t>(row.number(at++)); };
  const auto date = [&row, &at, &dates] { return dates.read(row.text(at++)); };
  const auto time = [&row, &at] {
    const auto ms = row.number(at++);
    return core::from_ms(core::is_time(ms) ? ms : 0);
  };
  out.id = core::job_id{small()};
  out.group = core::group_id{small()};
  out.name = text();
  out.added = date();
  out.updated = date();
  for (auto* each : {&out.author, &out.alarm_email, &out.schedule_type, &out.schedule_conf, &out.misfire, &out.route,
                     &out.handler, &out.param, &out.block})
    *each = text();
  out.timeout_s = small();
  out.retry_count = small();
  for (auto* each : {&out.glue_type, &out.glue_source, &out.glue_remark})
    *each = text();
  out.glue_updated = date();
  out.children = text();
  out.running = small() == 1;
  out.key = text();
  out.source = text();
  read_options(row, at, out);
  core::manual_stop stop{text(), time()};
  if (!out.running && !stop.by.empty())
    out.stopped = std::move(stop);
  out.next = time();
  out.last = time();
  out.missed = time();
  out.revision = row.number(at);
  return out;
}

} // namespace ringmaster::storage
