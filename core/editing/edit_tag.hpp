#pragma once

// Tags that detect whether a job, a group or a user has changed since it was read. They are computed from the edited content, not
// from the revision: Java admins' edits do not raise the revision, and the mirror raises it without an edit.

#include <optional>
#include <string>
#include <string_view>

#include "core/access/user.hpp"
#include "core/editing/group_draft.hpp"
#include "core/editing/job_draft.hpp"
#include "core/result.hpp"

namespace ringmaster::core {

/// Returns 32 hexadecimal digits that are equal for equal texts, options and sources. Ignores whether the job runs, when it fires
/// and when it was written. The tag is not a secret and gives no protection against a user who may edit the job.
[[nodiscard]] std::string edit_tag(const job_record& job);
/// Returns the tag of a group. Ignores the addresses of an automatic group, which come from its executors, and its token.
[[nodiscard]] std::string edit_tag(const group_record& group);
/// Returns the tag of a user with their permissions. Ignores the password.
[[nodiscard]] std::string edit_tag(const user_card& user);
/// Returns the tag of a job's source. Only a new source, another kind of script or another remark changes it.
[[nodiscard]] std::string source_tag(const job_record& job);

/// Returns `conflict`: `what` has changed since the client read it.
[[nodiscard]] error edited_meanwhile(const std::string& what);
[[nodiscard]] bool is_edited_meanwhile(const error& error) noexcept;

/// Checks that `held` still has the tag `seen`; an empty tag matches everything. `what` names the object in the error. Errors:
/// `edited_meanwhile`.
template <class Row>
[[nodiscard]] result<void> check_seen(const Row& held, std::string_view seen, const std::string& what) {
  if (seen.empty() || seen == edit_tag(held))
    return {};
  return tl::unexpected{edited_meanwhile(what)};
}

/// Checks that the source of `held` still has the tag `seen`; without a value everything matches. Errors: `edited_meanwhile`.
[[nodiscard]] result<void> check_source_seen(const job_record& held, const std::optional<std::string_view>& seen);

} // namespace ringmaster::core
