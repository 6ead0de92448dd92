#pragma once

// Rules about edits of groups by users, for both backends. Pure.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/access/principal.hpp"
#include "core/editing/audit_line.hpp"
#include "core/editing/group_draft.hpp"
#include "core/result.hpp"
#include "core/rules/column_limits.hpp"

namespace ringmaster::core {

/// The result of an edit of a group.
struct group_writing {
  group row;
  /// Whether the list becomes that of the registrations under its app name, which has to be read and written, too.
  bool takes_registered = false;
  /// Whether the group is automatic and keeps its list.
  bool keeps_list = false;
  /// Whether the name changed, so that another group may already have it.
  bool renamed = false;
  /// One line per changed field.
  std::vector<audit_line> changes;
};

/// Plans an edit. `held`: the group to change; empty: a new one. `seen` as in `group_editor::update`. Errors: `check`,
/// `too_long`; `conflict` for a declared group, unless only its token changes, and for a group that was edited since; `forbidden`
/// for non-administrators.
[[nodiscard]] result<group_writing> write_group(const group_draft& draft, const std::optional<group_record>& held,
                                                std::string_view seen, const column_limits& limits, const principal& by);

/// Uses of a group that is to be removed.
struct group_uses {
  bool has_jobs = false;
  /// Whether there is another group.
  bool others = false;
};

/// Errors: as `group_editor::remove`.
[[nodiscard]] result<void> check_removal(const group_record& held, std::string_view seen, const group_uses& uses);

/// Returns the values of a removed group for the audit log: one line per field.
[[nodiscard]] std::vector<audit_line> changes_of_removal(const group_record& held);

/// Errors: as `group_editor::read`.
[[nodiscard]] result<void> check_read(const std::optional<group_record>& held, group_id group, const principal& by);

/// Returns `not_found` with `group_illegal`.
[[nodiscard]] error no_such_group(group_id group);

/// Returns `conflict` with `app_name_repeated`.
[[nodiscard]] error group_name_is_taken(const std::string& app_name);

} // namespace ringmaster::core
