#pragma once

#include <cstdint>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers::v1 {

/// The part of a job whose ETag a request has compared.
enum class edited_part : std::uint8_t { job, source };

/// Answers an error of an edit of a job. `core::edited_meanwhile` is a 412 with the time of the later edit, and with its user if
/// the audit log has the edit: an edit by a Java admin has no user.
void tell_failed_edit(const exchange& ex, const core::error& error, core::job_id job, edited_part part);

} // namespace ringmaster::gateway::handlers::v1
