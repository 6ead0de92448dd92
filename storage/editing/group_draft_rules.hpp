#pragma once

// What both backends decide alike about groups that people write. Pure.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/access/principal.hpp"
#include "core/editing/group_draft.hpp"
#include "core/result.hpp"
#include "storage/rows/column_limits.hpp"

namespace ringmaster::storage {

/// What an edit makes of a group.
struct group_writing {
  core::group row;
  /// The list is that of the registrations under its app name: to be read and written, too.
  bool takes_registered = false;
  /// An automatic group whose list stays.
  bool keeps_list = false;
  /// Another group may have this name already.
  bool renamed = false;
  /// One line a changed field.
  std::vector<std::string> changes;
};

/// `held`: the group that is changed; nothing: a new one. `seen` as in `group_editor::update`. Errors: `core::check`, `too_long`,
/// `conflict` for a declared group, unless only its token changes,
/// and for one that was edited since; `forbidden` for who is no administrator.
[[nodiscard]] core::result<group_writing> write_group(const core::group_draft& draft,
                                                      const std::optional<core::group_record>& held, std::string_view seen,
                                                      const column_limits& limits, const core::principal& by);

/// What is known of a group that is to go.
struct group_uses {
  bool has_jobs = false;
  /// There is another one.
  bool others = false;
};

/// Errors: as `group_editor::remove`.
[[nodiscard]] core::result<void> check_removal(const core::group_record& held, std::string_view seen, const group_uses& uses);

/// What a group was that goes, for the audit: one line a field.
[[nodiscard]] std::vector<std::string> changes_of_removal(const core::group_record& held);

/// Errors: as `group_editor::read`.
[[nodiscard]] core::result<void> check_read(const std::optional<core::group_record>& held, core::group_id group,
                                            const core::principal& by);

/// `not_found` with `group_illegal`.
[[nodiscard]] core::error no_such_group(core::group_id group);

/// `conflict` with `app_name_repeated`.
[[nodiscard]] core::error name_is_taken(const std::string& app_name);

} // namespace ringmaster::storage
