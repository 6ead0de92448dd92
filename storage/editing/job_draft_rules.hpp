#pragma once

// What both backends decide alike about jobs that people write. Pure; the backends read under their locks, ask, and write what
// the answer says.

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
#include "core/zone/zone.hpp"
#include "storage/editing/deploy_plan.hpp"
#include "storage/rows/column_limits.hpp"

namespace ringmaster::storage {

/// Where an edit happens and what the store knows.
struct edit_scene {
  const core::principal& by;
  core::draft_facts facts;
  column_limits limits;
  /// Java admins plan this job, too.
  bool shared = false;
  const core::zone& schedule_zone;
  /// Schedules count from here.
  core::time_point from{};
  /// Somebody changed the schedule past us and the mirror has not looked since: this edit must not hide that from it.
  bool foreign_schedule = false;
};

/// What an edit makes of a job.
struct job_writing {
  /// The columns as they are to be; ids, dates and the revision aside.
  core::job_record row;
  /// What waits of the old schedule goes.
  bool rescheduled = false;
  /// Nothing: no row of `rm_job_ext` is to be written.
  bool options_changed = false;
  /// One line a changed field.
  std::vector<std::string> changes;
};

/// A new job. Errors: as `job_editor::add`, the right in its group included.
[[nodiscard]] core::result<job_writing> write_new(core::job_draft draft, const edit_scene& scene);

/// `held`: the job under its locks; nothing: it does not exist. Errors: as `job_editor::update`.
[[nodiscard]] core::result<job_writing> write_update(const std::optional<core::job_record>& held, core::job_draft draft,
                                                     std::string_view seen, edit_scene scene);

/// A running job whose schedule somebody changed past us, with the next time of that schedule from max(`from`, the last claimed
/// instant). Nothing: it does not run, or it has no next time, which is the planner's to say.
[[nodiscard]] std::optional<core::job_record> planned_anew(const core::job_record& held, core::time_point from,
                                                           const core::zone& schedule_zone);

/// Whether `held` may get this source. Errors: as `job_editor::save_source`.
[[nodiscard]] core::result<void> check_source(const std::optional<core::job_record>& held, core::job_id job,
                                              std::string_view source, std::string_view remark, const core::principal& by);

/// Before a removal, which has `seen` as `job_store::remove` has it. Errors: `core::edited_meanwhile`.
[[nodiscard]] core::result<void> check_seen(const std::optional<core::job_record>& held, core::job_id job, std::string_view seen);

/// What a job was that goes, for the audit: one line a field that said anything.
[[nodiscard]] std::vector<std::string> changes_of_removal(const core::job_record& held);

/// What a new source changes, for the audit: its length, since texts are long and the history keeps them. Nothing: it is the old
/// one.
[[nodiscard]] std::vector<std::string> source_change(const core::job_record& held, std::string_view source,
                                                     std::string_view remark);

/// How many rows of a list with long texts one answer holds.
class page_budget {
public:
  /// Whether the next row, with so many bytes of long texts, is in the answer; the first one is in any case.
  [[nodiscard]] bool takes(std::size_t bytes) noexcept {
    const bool first = !begun_;
    begun_ = true;
    bytes_ += bytes;
    return first || bytes_ <= core::page_text_bytes;
  }

private:
  std::size_t bytes_ = 0;
  bool begun_ = false;
};

/// Whether `by` may look at the job. Errors: as `job_editor::read`.
[[nodiscard]] core::result<void> check_read(const std::optional<core::job_record>& held, core::job_id job,
                                            const core::principal& by);

/// The groups that a list is about; nothing: all. Errors: `forbidden` for a group that `by` may not see.
[[nodiscard]] core::result<std::optional<std::vector<core::group_id>>>
groups_to_list(const std::optional<core::group_id>& wanted, const std::optional<std::vector<core::group_id>>& visible,
               const core::principal& by);

} // namespace ringmaster::storage
