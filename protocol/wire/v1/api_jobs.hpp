#pragma once

// Jobs in /api/v1, written and read. Errors of all functions that read: `invalid_argument` that begins with the path of the
// member, or names the parameter. Values of XXL's columns keep XXL's names (`FIX_RATE`, `BUSYOVER`).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/editing/manual_edits.hpp"
#include "core/editing/job_draft.hpp"
#include "core/ids.hpp"
#include "core/result.hpp"
#include "protocol/wire/v1/api_page.hpp"

namespace ringmaster::protocol::wire {

/// Returns one job as a JSON object.
[[nodiscard]] std::string api_job(const core::job_record& job);
/// Returns a JSON array; without the sources of scripts.
[[nodiscard]] std::string api_jobs(const std::vector<core::job_record>& jobs);
/// Returns a JSON array; without `bodies` the source of each version is null.
[[nodiscard]] std::string api_sources(const std::vector<core::source_version>& versions, bool bodies);
/// Returns one version as a JSON object.
[[nodiscard]] std::string api_source(const core::source_version& version);

/// Returns the request of a manual run.
[[nodiscard]] std::string api_intent(const core::intent& intent);
/// Returns the outcome of a manual run so far. `waiting`: the intent is not claimed yet.
[[nodiscard]] std::string api_asked_runs(bool waiting, const std::vector<core::log_id>& runs);
/// Returns the result of starting or stopping a job.
[[nodiscard]] std::string api_job_edit(const core::job_edit& edit);

/// Reads `group`, `running`, `name`, `handler`, `author`.
[[nodiscard]] core::result<core::job_search> api_job_search_of(const form& sent, const api_cursor& from);

/// Reads `bodies`, true without it.
[[nodiscard]] core::result<core::source_search> api_source_search_of(const form& sent, core::job_id job);

/// Reads a whole job: missing members are as in a new job. An update neither contains nor changes the kind of script (`glue_…`).
[[nodiscard]] core::result<core::job_draft> parse_api_job(std::string_view body, core::draft_use use);

struct api_new_source {
  std::string source;
  std::string remark;
};
[[nodiscard]] core::result<api_new_source> parse_api_source(std::string_view body);

} // namespace ringmaster::protocol::wire
