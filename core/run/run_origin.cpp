#include "core/run/run_origin.hpp"

#include <algorithm>

#include "core/run/shard_family.hpp"
#include "core/run/trigger_text.hpp"

namespace ringmaster::core {

run_origin origin_of(const noted_run& run) {
  run_origin out;
  if (const auto& note = run.note) {
    out.kind = note->kind;
    if (number(note->origin) > 0 && note->kind == trigger_kind::retry)
      out.retry_of = note->origin;
    if (number(note->origin) > 0 && note->kind == trigger_kind::parent)
      out.parent = note->origin;
    out.instant = note->instant;
    if (note->instant)
      out.merged = note->merged;
  } else {
    out.kind = kind_in_text(run.row.trigger_msg);
  }
  if (out.kind && out.kind != trigger_kind::retry && out.kind != trigger_kind::missed)
    out.attempt = 1;
  if (const auto part = read_shard_text(run.row.executor_sharding_param))
    out.part = shard{part->index, part->total, true};
  return out;
}

run_origin origin_of(const log_row& run) { return origin_of(noted_run{run}); }

std::optional<milliseconds> duration_of(const log_row& run) {
  if (run.handle_code == 0 || !run.handle_time || run.trigger_time == time_point{})
    return std::nullopt;
  return std::max(milliseconds{0}, std::chrono::duration_cast<milliseconds>(*run.handle_time - run.trigger_time));
}

std::vector<log_row> rows_of(const related_runs& related) {
  std::vector<log_row> rows{related.run};
  if (related.parent)
    rows.push_back(*related.parent);
  for (const auto* some : {&related.children, &related.retries, &related.shards})
    rows.insert(rows.end(), some->begin(), some->end());
  return rows;
}

} // namespace ringmaster::core
