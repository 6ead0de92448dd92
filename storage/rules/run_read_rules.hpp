#pragma once

// Rules for reading runs for users, for both backends.

#include <optional>
#include <string>
#include <vector>

#include "core/access/principal.hpp"
#include "core/rules/audit_rules.hpp"
#include "core/run/log_row.hpp"
#include "storage/rows/run_paging.hpp"

namespace ringmaster::storage {

[[nodiscard]] inline core::error no_such_run(core::log_id run) {
  return {core::errc::not_found, "run " + std::to_string(core::number(run)) + " does not exist", core::refusal::run_id_illegal};
}

/// Returns the row as shown: the columns of a result have no meaning before there is a result.
[[nodiscard]] inline core::log_row shown(core::log_row&& row) {
  if (row.handle_code == 0) {
    row.handle_time.reset();
    row.handle_msg.clear();
  }
  return std::move(row);
}

/// Returns the page. `ascending`: those of the found rows that still exist.
[[nodiscard]] inline core::run_list shown(std::vector<core::log_row>&& ascending, const found_runs& found) {
  core::run_list page{{{}, found.total, found.total_is_capped}, found.rest, found.searched_to};
  for (auto row = ascending.rbegin(); row != ascending.rend(); ++row)
    page.rows.push_back(shown(std::move(*row)));
  return page;
}

/// Returns the run if `by` may read it. `rows`: the run's row, if it exists.
[[nodiscard]] inline core::result<core::log_row> read_by(std::vector<core::log_row>&& rows, core::log_id run,
                                                         core::group_right wanted, const core::principal& by) {
  if (rows.empty())
    return tl::unexpected{no_such_run(run)};
  if (auto right = core::check_right(by, wanted, rows.front().group); !right)
    return tl::unexpected{right.error()};
  return shown(std::move(rows.front()));
}

[[nodiscard]] inline core::audit_row audit_of_ending(core::log_id run, core::job_id job, std::string_view message,
                                                     const core::principal& by, core::time_point now) {
  return core::audit_of(by, core::audit_action::kill, core::audit_object::run, core::number(run),
                  "job " + std::to_string(core::number(job)), {core::remark_line("message: " + std::string{message})}, now);
}

/// Adds a day. Leaves out a row whose day cannot be read.
inline void add_day(std::vector<core::day_report>& days, std::optional<core::time_point> day, std::int64_t running,
                    std::int64_t succeeded, std::int64_t failed, std::optional<core::time_point> changed) {
  if (day)
    days.push_back({*day, {running + succeeded + failed, running, succeeded}, {}, changed});
}

} // namespace ringmaster::storage
