#pragma once

// Whether a job is still what somebody read: by what people write of it, not by the number of its last edit. Java admins' edits
// raise no such number, and the mirror raises it where nobody edited.

#include <string>

#include "core/job_draft.hpp"

namespace ringmaster::core {

/// 32 hexadecimal digits that are equal for equal texts, options and sources; whether it runs, when it fires and when it was
/// written counts for nothing. No secret, and no proof against somebody who may edit the job anyway.
[[nodiscard]] std::string edit_tag(const job_record& job);

} // namespace ringmaster::core
