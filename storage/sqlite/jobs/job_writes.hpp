#pragma once

#include <optional>

#include "storage/edit_store.hpp"
#include "storage/rows/seen_totals.hpp"
#include "storage/sqlite/driver/session.hpp"

namespace ringmaster::storage::sqlite {

/// Edits of jobs by users (`job_writes.cpp`) and pages of jobs (`job_pages.cpp`).
class job_editor_role final : public job_editor {
public:
  explicit job_editor_role(session& own) : own_{own} {}

  core::result<core::job_id> add(const core::job_draft& draft, const core::principal& by, core::time_point now) override;
  core::result<core::job_edit> update(core::job_id job, const core::job_draft& draft, std::string_view seen,
                                      const core::principal& by, core::time_point now) override;
  core::result<core::job_edit> save_source(core::job_id job, std::string_view source, std::string_view remark,
                                           const core::principal& by, core::time_point now) override;
  core::result<core::job_record> read(core::job_id job, const core::principal& by) override;
  core::result<core::page<core::job_record>> page(const core::job_search& search, const core::principal& by) override;
  core::result<std::vector<core::source_version>> source_history(core::job_id job, const core::principal& by) override;

private:
  session& own_;
  seen_totals totals_;
};

/// Returns the job, or nothing when it does not exist (`job_pages.cpp`). Inside a transaction.
[[nodiscard]] std::optional<core::job_record> find_record(session& own, core::job_id job);

} // namespace ringmaster::storage::sqlite
