#pragma once

// The row of `rm_audit` that a change writes in its own transaction, cut to its columns.

#include <string>
#include <string_view>
#include <vector>

#include "core/access/principal.hpp"
#include "core/editing/audit.hpp"

namespace ringmaster::core {

/// Returns the audit row. `changes`: one line each, e.g. of `differences`.
[[nodiscard]] audit_row audit_of(const principal& by, audit_action action, audit_object object, std::int64_t object_id,
                                 std::string_view object_name, const std::vector<audit_line>& changes, time_point now);

} // namespace ringmaster::core
