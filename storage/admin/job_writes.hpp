#pragma once

#include "core/cluster/cluster_mode.hpp"
#include "storage/edit_store.hpp"
#include "storage/admin/admin_session.hpp"
#include "storage/rows/seen_totals.hpp"

namespace ringmaster::storage {

/// Edits of jobs by users (`job_writes.cpp`) and pages of jobs (`job_pages.cpp`).
class job_editor_role final : public job_editor {
public:
  explicit job_editor_role(admin_session& own) : own_{own} {}

  core::result<core::job_id> add(const core::job_draft& draft, const core::principal& by, core::time_point now) override;
  core::result<core::job_edit> update(core::job_id job, const core::job_draft& draft, std::string_view seen,
                                      const core::principal& by, core::time_point now) override;
  core::result<core::job_edit> save_source(core::job_id job, std::string_view source, std::string_view remark,
                                           std::optional<std::string_view> seen, const core::principal& by,
                                           core::time_point now) override;
  core::result<core::job_record> read(core::job_id job, const core::principal& by) override;
  core::result<core::page<core::job_record>> page(const core::job_search& search, const core::principal& by) override;
  core::result<core::job_list> list(const core::job_search& search, const core::principal& by) override;
  core::result<core::job_list> soonest(const std::optional<core::group_id>& group, std::size_t limit,
                                       const core::principal& by) override;
  core::result<core::source_history> source_history(const core::source_search& search, const core::principal& by) override;

private:
  /// Returns the page without facts, inside a read.
  core::result<core::job_list> find_list(const core::job_search& search,
                                         const std::optional<std::vector<core::group_id>>& groups, const core::principal& by);
  /// Returns the facts of jobs, in the same order (`job_facts.cpp`).
  core::result<std::vector<core::job_facts>> list_facts(const std::vector<core::job_record>& rows, const core::principal& by);

  admin_session& own_;
  seen_totals totals_;
};

/// Returns the job, or nothing when it does not exist (`job_pages.cpp`). This and the following run inside a transaction or read.
[[nodiscard]] std::optional<core::job_record> find_record(admin_session& own, core::job_id job);

/// Returns the same after it has locked the job for an edit.
[[nodiscard]] std::optional<core::job_record> held_record(admin_session& own, core::job_id job, core::cluster_mode mode);

/// Takes the number of an edit.
[[nodiscard]] std::int64_t next_revision(admin_session& own);

/// Replaces a last instant that only a wrong clock can have written by `now`, inside an edit in native mode that writes a next
/// time.
void doubt_last_instant(admin_session& own, core::job_id job, core::time_point now);

/// Deletes the instants that wait from the schedule before an edit.
void drop_reserved(admin_session& own, core::job_id job);

} // namespace ringmaster::storage
