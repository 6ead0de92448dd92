#pragma once

// Rules about edits of jobs by users, for both backends. Pure; the backends read under their locks, ask these rules, and write
// the answer.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/access/principal.hpp"
#include "core/editing/job_draft.hpp"
#include "core/page.hpp"
#include "core/result.hpp"
#include "core/rules/column_limits.hpp"
#include "core/rules/deploy_plan.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::core {

/// Context of an edit: the state of the store.
struct edit_scene {
  const principal& by;
  draft_facts facts;
  column_limits limits;
  /// Whether Java admins plan this job, too.
  bool shared = false;
  const zone& schedule_zone;
  /// Schedules count from this time.
  time_point from{};
  /// Whether another program changed the schedule and the mirror has not checked it since: this edit must not hide that change
  /// from it.
  bool foreign_schedule = false;
};

/// The result of an edit of a job.
struct job_writing {
  /// The new columns, except ids, dates and the revision.
  job_record row;
  /// Whether the schedule changed: waiting instants of the old one are deleted.
  bool rescheduled = false;
  /// False: no row of `rm_job_ext` has to be written.
  bool options_changed = false;
  /// One line per changed field.
  std::vector<audit_line> changes;
};

/// Plans a new job. Errors: as `job_editor::add`, including the permission in its group.
[[nodiscard]] result<job_writing> write_new(job_draft draft, const edit_scene& scene);

/// Plans an update. `held`: the job under its locks; empty: it does not exist. Errors: as `job_editor::update`.
[[nodiscard]] result<job_writing> write_update(const std::optional<job_record>& held, job_draft draft, std::string_view seen,
                                               edit_scene scene);

/// Returns a running job whose schedule another program changed, with the next time of that schedule from max(`from`, the last
/// claimed instant). Empty: it does not run, or it has no next time; the planner reports that.
[[nodiscard]] std::optional<job_record> planned_anew(const job_record& held, time_point from, const zone& schedule_zone);

/// Checks whether `held` may get this source. `seen` as in `job_editor::save_source`, compared after everything else. Errors: as
/// `job_editor::save_source`.
[[nodiscard]] result<void> check_source(const std::optional<job_record>& held, job_id job, std::string_view source,
                                        std::string_view remark, const std::optional<std::string_view>& seen,
                                        const principal& by);

/// Returns the error for a version that the history of the job's source does not have.
[[nodiscard]] error no_such_version(job_id job, std::int64_t version);

/// Checks `seen` before a removal (`job_store::remove`). Errors: `edited_meanwhile`.
[[nodiscard]] result<void> check_seen(const std::optional<job_record>& held, job_id job, std::string_view seen);

/// Returns the values of a removed job for the audit log: one line per non-empty field.
[[nodiscard]] std::vector<audit_line> changes_of_removal(const job_record& held);

/// Returns the changes of a new source for the audit log: its length only, since texts are long and the history keeps them.
/// Empty: the source is unchanged.
[[nodiscard]] std::vector<audit_line> source_change(const job_record& held, std::string_view source, std::string_view remark);

/// Limit on the rows of a list with long texts in one answer.
class page_budget {
public:
  /// Returns whether the next row, with `bytes` bytes of long texts, fits into the answer; the first one always does.
  [[nodiscard]] bool takes(std::size_t bytes) noexcept {
    const bool first = !begun_;
    begun_ = true;
    bytes_ += bytes;
    return first || bytes_ <= page_text_bytes;
  }

private:
  std::size_t bytes_ = 0;
  bool begun_ = false;
};

/// Checks whether `by` may see the job. Errors: as `job_editor::read`.
[[nodiscard]] result<void> check_read(const std::optional<job_record>& held, job_id job, const principal& by);

/// Returns the groups to list; empty optional: all. Errors: `forbidden` for a group that `by` may not see.
[[nodiscard]] result<std::optional<std::vector<group_id>>> groups_to_list(const std::optional<group_id>& wanted,
                                                                          const std::optional<std::vector<group_id>>& visible,
                                                                          const principal& by);

} // namespace ringmaster::core
