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
#include "core/editing/job_list.hpp"
#include "core/ids.hpp"
#include "core/result.hpp"
#include "core/text/language.hpp"
#include "core/zone/zone.hpp"
#include "protocol/wire/v1/api_page.hpp"

namespace ringmaster::protocol::wire {

/// Returns one job as a JSON object.
[[nodiscard]] std::string api_job(const core::job_record& job);
/// Reader of a list: the words of schedules are in their language. `zone`: of the schedules of jobs without their own.
struct api_job_reader {
  core::language language = core::language::en;
  const core::zone& zone;
};
/// Returns a JSON array; without the sources of scripts. `facts`: those of each job.
[[nodiscard]] std::string api_jobs(const std::vector<core::job_record>& jobs, const std::vector<core::job_facts>& facts,
                                   const api_job_reader& reader);
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

/// Maximum number of `ids` in a request for a list.
inline constexpr std::size_t api_job_ids_max = 100;

/// Reads the filters of the list: `group` (several with commas), `running`, `name`, `handler`, `author`, `q`, `type`,
/// `glue_type`, `declared`, `source`, `last_status` (several with commas); or `ids` alone.
[[nodiscard]] core::result<core::job_search> api_job_search_of(const form& sent, const api_cursor& from);
/// Reads the same and `sort`, in whose order the page begins after the place of the cursor.
[[nodiscard]] core::result<core::job_search> api_job_list_of(const form& sent, const api_cursor& from);
/// Returns the cursor of the page after this one; nothing if it is the last one.
[[nodiscard]] std::optional<std::string> next_jobs(const core::job_search& search, const api_cursor& from,
                                                   const std::vector<core::job_record>& rows, bool more);

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
