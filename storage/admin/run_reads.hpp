#pragma once

#include <optional>
#include <span>
#include <vector>

#include "storage/admin/admin_session.hpp"
#include "storage/rows/seen_totals.hpp"
#include "storage/store.hpp"

namespace ringmaster::storage {

/// Returns the present group of a job, inside a transaction or read.
[[nodiscard]] std::optional<core::group_id> group_of(admin_session& own, std::optional<core::job_id> job);

/// Removes runs with their dependent rows in our own tables (`run_clears.cpp`). Returns the number of removed runs.
std::size_t remove_runs(admin_session& own, std::span<const core::log_id> ids);

/// Runs for users. `run_reads.cpp`, `run_relations.cpp` and `run_reports.cpp` read, `run_clears.cpp` removes.
class run_role final : public run_reader {
public:
  explicit run_role(admin_session& own) : own_{own} {}

  core::result<core::run_list> page(const core::run_search& search, std::size_t count_max, const core::principal& by) override;
  core::result<core::log_row> read(core::log_id run, core::group_right wanted, const core::principal& by) override;
  core::result<core::run_names> names(const std::vector<core::log_row>& rows, const core::principal& by) override;
  core::result<core::related_runs> related(core::log_id run, const core::principal& by) override;
  core::result<bool> end_run(core::log_id run, std::string_view message, const core::principal& by,
                             core::time_point now) override;
  core::result<core::clear_step> clear(const core::clear_search& search, const std::optional<core::clear_place>& from,
                                       std::size_t limit, const core::principal& by, core::time_point now) override;
  core::result<std::vector<core::day_report>> report(core::time_point from, core::time_point to) override;
  core::result<std::vector<core::day_report>> count(const core::report_search& search, const core::principal& by) override;

private:
  core::result<core::run_list> page_of(std::span<const core::log_id> ids, const core::principal& by);
  core::result<core::clear_step> begin_clear(const core::clear_search& search, const core::principal& by, core::time_point now);

  admin_session& own_;
  seen_totals totals_;
};

} // namespace ringmaster::storage
