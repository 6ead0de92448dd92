#pragma once

// Definitions of elastic jobs in requests of /api/v1. Members have the names that GET shows. Errors of all functions that read:
// `invalid_argument` that begins with the path of the member.

#include <optional>
#include <string>
#include <string_view>

#include "core/editing/job_draft.hpp"
#include "core/elastic/elastic_draft.hpp"
#include "core/elastic/elastic_fields.hpp"
#include "core/result.hpp"

namespace ringmaster::protocol::wire {

struct api_elastic_draft {
  core::elastic::elastic_draft draft;
  /// Only of a new job.
  bool enabled = true;
};
/// Reads the definition of a new job, or of a stored one. Absent options have their default.
[[nodiscard]] core::result<api_elastic_draft> parse_api_elastic_draft(std::string_view body, core::draft_use use);

struct api_elastic_preview {
  /// Stored job that the definition would change; unset: a new job.
  std::optional<core::elastic::elastic_job_id> job;
  core::elastic::elastic_definition what;
};
/// Reads the definition whose plan is asked for.
[[nodiscard]] core::result<api_elastic_preview> parse_api_elastic_preview(std::string_view body);

/// Returns the body that `parse_api_elastic_draft` reads as this definition. `enabled`: only of a new job.
[[nodiscard]] std::string api_elastic_body(const core::elastic::elastic_definition& what, std::optional<bool> enabled);

/// Returns the name of an option: milliseconds have `_ms` at its end.
[[nodiscard]] std::string api_member_of(const core::elastic::elastic_field& field);
/// Returns the options as a JSON object.
[[nodiscard]] std::string api_elastic_options(const core::elastic::elastic_options& options);
/// Returns the properties as a JSON object; those whose value is not shown are null.
[[nodiscard]] std::string api_elastic_props(std::string_view stored);

} // namespace ringmaster::protocol::wire
