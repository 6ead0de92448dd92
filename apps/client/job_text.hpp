#pragma once

// Jobs and runs of the API, formatted for the terminal.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "apps/client/api_client.hpp"
#include "core/time.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::apps {

/// Formats `2026-11-21 10:00:00.250` in `where`; without milliseconds when they are zero.
[[nodiscard]] std::string local_text(core::time_point t, const core::zone& where);
/// Formats a member in milliseconds, or returns `none`.
[[nodiscard]] std::string instant_in(const api_document& object, const char* name, const core::zone& where,
                                     const std::string& none = "-");

/// App names by group id.
using group_titles = std::map<std::int64_t, std::string>;

/// Returns `pay-worker/settle`, or `job 12` for a job without a key.
[[nodiscard]] std::string title_of(const api_document& job, const group_titles& groups);

/// Returns `scheduled`, `manual` (no schedule), `stopped`, or `stopped by USER, 02:55`, with the date unless it is that of `now`.
[[nodiscard]] std::string job_state_text(const api_document& job, const core::zone& where, core::time_point now);

/// Formats a table with one line per job, regardless of its content.
[[nodiscard]] std::string jobs_table(const api_document& jobs, const group_titles& groups, const core::zone& where,
                                     core::time_point now);
[[nodiscard]] std::string describe_job(const api_document& job, const group_titles& groups, const core::zone& where,
                                       core::time_point now);

[[nodiscard]] std::string dumped(const nlohmann::json& document);

} // namespace ringmaster::apps
