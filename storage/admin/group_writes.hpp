#pragma once

#include "storage/edit_store.hpp"
#include "storage/admin/admin_session.hpp"

namespace ringmaster::storage {

/// Edits and reads of executor groups for administrators (`group_writes.cpp`; `group_figures.cpp`: figures).
class group_editor_role final : public group_editor {
public:
  explicit group_editor_role(admin_session& own) : own_{own} {}

  core::result<core::group_id> add(const core::group_draft& draft, const core::principal& by, core::time_point now) override;
  core::result<void> update(core::group_id group, const core::group_draft& draft, std::string_view seen,
                            const core::principal& by, core::time_point now) override;
  core::result<void> remove(core::group_id group, std::string_view seen, const core::principal& by,
                            core::time_point now) override;
  core::result<core::group_record> read(core::group_id group, const core::principal& by) override;
  core::result<core::page<core::group_record>> page(const core::group_search& search, const core::principal& by) override;
  core::result<std::vector<core::group_record>> visible(const core::principal& by) override;
  core::result<std::vector<core::group_figures>> figures(const std::vector<core::group_id>& groups) override;

private:
  admin_session& own_;
};

} // namespace ringmaster::storage
