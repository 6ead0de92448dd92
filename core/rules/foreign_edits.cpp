#include "core/rules/foreign_edits.hpp"

#include "core/schedule/last_instant.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

constexpr std::size_t conf_chars = 60;
/// A next time long in the past: the planner treats it as a misfire and computes the next time.
constexpr std::int64_t long_ago_ms = 1;

std::string shown_schedule(const watched_columns& row) {
  return '"' + row.schedule_type + ' ' + std::string{cut_characters(row.schedule_conf, conf_chars)} + '"';
}

/// Computes the next time from max(now, last claimed instant). An invalid schedule keeps a next time: the planner reports the
/// error.
void reschedule(const watched_job& job, time_point now, schedule_rules& rules, edit_decision& out) {
  const auto type = find_schedule_type(job.row.schedule_type).value_or(schedule_type::unknown);
  const auto rule = rules.of(type, job.row.schedule_conf, job.timing);
  if (!rule) {
    out.next_ms = job.planned && is_time(job.planned->next_ms) ? job.planned->next_ms : long_ago_ms;
    return;
  }
  const auto last = job.planned && is_time(job.planned->last_ms) ? from_ms(job.planned->last_ms) : time_point{};
  const auto next = (*rule)->next(search_from(now, last), job.id);
  out.next_ms = next ? to_ms(*next) : 0;
  out.stop = !next;
}

edit_decision decide_running(const watched_job& job, bool foreign, time_point now, schedule_rules& rules) {
  edit_decision out{.remember = true, .raise = job.seen.has_value(), .next_ms = {}};
  if (!is_time(job.planned->next_ms)) {
    out.raise = true;
    out.what = "started";
    // XXL treats a running job without a next time in the same way.
    if (job.row_next_ms <= 0)
      out.next_ms = long_ago_ms;
    else
      reschedule(job, now, rules, out);
    return out;
  }
  if (!foreign)
    return out;
  const auto& before = job.seen->row;
  if (before.schedule_type != job.row.schedule_type || before.schedule_conf != job.row.schedule_conf) {
    out.what = "schedule " + shown_schedule(before) + " -> " + shown_schedule(job.row);
    reschedule(job, now, rules, out);
  } else {
    out.what = "changed";
  }
  return out;
}

} // namespace

edit_decision decide_edit(const watched_job& job, time_point now, schedule_rules& rules) {
  const bool running = job.row.status == 1;
  if (!job.planned)
    return {.remember = true,
            .raise = true,
            .next_ms = !running                   ? 0
                       : is_time(job.row_next_ms) ? job.row_next_ms
                                                  : long_ago_ms,
            .stop = false,
            .what = "new"};
  const bool same = job.seen && job.seen->row == job.row && !(running && !is_time(job.planned->next_ms));
  if (same && job.seen->revision == job.planned->revision)
    return {};
  // Our own edit since the last check may hide a foreign one: the planners read the job again, and nothing is reported.
  const bool foreign = job.seen && job.seen->revision == job.planned->revision;
  if (running)
    return decide_running(job, foreign, now, rules);
  edit_decision out{.remember = true, .raise = foreign, .next_ms = {}};
  if (job.planned->next_ms != 0) {
    out.raise = true;
    out.next_ms = 0;
    out.what = "stopped";
  } else if (foreign && job.seen->row.status != 1) {
    out.what = "changed";
  }
  return out;
}

} // namespace ringmaster::core
