#pragma once

// Whether a job, a group or a user is still what somebody read: by what people write of it, not by the number of its last edit.
// Java admins' edits raise no such number, and the mirror raises that of jobs where nobody edited.

#include <string>
#include <string_view>

#include "core/access/user.hpp"
#include "core/editing/group_draft.hpp"
#include "core/editing/job_draft.hpp"
#include "core/result.hpp"

namespace ringmaster::core {

/// 32 hexadecimal digits that are equal for equal texts, options and sources; whether it runs, when it fires and when it was
/// written counts for nothing. No secret, and no proof against somebody who may edit the job anyway.
[[nodiscard]] std::string edit_tag(const job_record& job);
/// The same of a group: the addresses of an automatic one are its executors' and count for nothing, and so does its token.
[[nodiscard]] std::string edit_tag(const group_record& group);
/// The same of a user, with his rights; his password counts for nothing.
[[nodiscard]] std::string edit_tag(const user_card& user);

/// `conflict`: `what` has another tag than the edit has seen.
[[nodiscard]] error edited_meanwhile(const std::string& what);
[[nodiscard]] bool is_edited_meanwhile(const error& error) noexcept;

/// Whether `held`, `what` for people, still is what the edit has seen; empty: whatever it is. Errors: `edited_meanwhile`.
template <class Row>
[[nodiscard]] result<void> check_seen(const Row& held, std::string_view seen, const std::string& what) {
  if (seen.empty() || seen == edit_tag(held))
    return {};
  return tl::unexpected{edited_meanwhile(what)};
}

} // namespace ringmaster::core
