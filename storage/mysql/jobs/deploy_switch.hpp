#pragma once

// The transaction in which an apply takes effect.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/access/principal.hpp"
#include "core/cluster/cluster_mode.hpp"
#include "core/rules/alarm_plan.hpp"
#include "core/rules/deploy_plan.hpp"
#include "storage/mysql/driver/session.hpp"
#include "storage/mysql/jobs/deploy_stage.hpp"

namespace ringmaster::storage::mysql {

/// The state that a plan was made from, apart from the jobs.
struct deploy_basis {
  core::cluster_mode mode = core::cluster_mode::native;
  /// The counter of `rm_edit`: while it is unchanged, no job, source or alarm rule has been edited.
  std::int64_t edits = 0;
  std::vector<core::held_group> groups;
};

/// Returns all groups without values that depend on their jobs (`jobs_made_by_hand`). Throws `driver_error`.
[[nodiscard]] std::vector<core::held_group> read_groups(connection& db);

/// Returns the counter of `rm_edit`. Throws `driver_error`.
[[nodiscard]] std::int64_t read_edits(connection& db);

/// Writes a plan inside its transaction. First come writes that block no other transaction: definitions, new jobs, the audit
/// rows. Then it locks `rm_edit` and the schedules, by set statements over the staged rows; claims of other jobs touch none of
/// these.
class deploy_switch {
public:
  struct scene {
    const core::deploy_plan& plan;
    const core::alarm_plan& alarms;
    const deploy_basis& basis;
    const std::string& source;
    /// Audit rows of the groups and jobs of the plan, then of the alarm rules. Rows of new objects get their ids here.
    std::vector<core::audit_row>& audit;
    core::time_point now;
    /// New schedules count from this time.
    core::time_point first;
  };

  deploy_switch(session& own, deploy_stage& stage, const scene& at);

  /// Writes the plan. Errors: `conflict` with `is_stale` when something was edited since the plan was made, which must be made
  /// again; `conflict` for a group's name; `invalid_argument` for a schedule that does not fire again. Throws `driver_error`.
  core::result<void> run();

  [[nodiscard]] bool is_stale() const noexcept { return stale_; }

  /// Returns the ids of the plan's groups, in their order. Requires `run`.
  [[nodiscard]] std::span<const core::group_id> group_ids() const noexcept { return group_ids_; }

private:
  core::result<void> hold_mode();
  core::result<void> create_groups();
  core::result<void> create_group(const core::group_write& group);
  void write_group(const core::group_write& group);
  void update_jobs();
  bool run_as_planned();
  void create_jobs();
  void create_jobs(std::span<const std::size_t> positions);
  void link_children();
  void remove_jobs();
  void write_audit_rows();
  core::result<void> hold_edits();
  core::result<void> move_schedules();
  core::result<std::vector<moved_schedule>> claimed_meanwhile();
  void show_schedules(bool moved_only);
  void insert_schedules(std::int64_t first_revision);
  void drop_reserved();

  /// Runs a statement over all staged rows, part by part: `add` adds the parameters before those of the part.
  template <class Add>
  void over_stage(sql text, Add add);

  session& own_;
  connection& db_;
  deploy_stage& stage_;
  const scene& at_;
  const core::deploy_plan& plan_;
  const bool shared_;
  const std::string date_;
  bool shows_ = false;
  bool stale_ = false;
  std::vector<core::group_id> group_ids_;
  std::vector<core::group_id> created_groups_;
  std::vector<core::job_id> ids_;
  std::vector<core::job_id> removed_;
};

} // namespace ringmaster::storage::mysql
