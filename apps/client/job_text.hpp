#pragma once

// Jobs and runs of the API as commands print them for people.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "apps/client/api_client.hpp"
#include "core/time.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::apps {

/// `2026-11-21 10:00:00.250` in `where`; no milliseconds when there are none.
[[nodiscard]] std::string local_text(core::time_point t, const core::zone& where);
/// The same of a member in milliseconds, or `none`.
[[nodiscard]] std::string instant_in(const api_document& object, const char* name, const core::zone& where,
                                     const std::string& none = "-");

/// App names by id.
using group_titles = std::map<std::int64_t, std::string>;

/// `pay-worker/settle`, or `job 12` for one without a key.
[[nodiscard]] std::string title_of(const api_document& job, const group_titles& groups);

/// `scheduled`, `manual` (it has no schedule), `stopped`, `stopped by USER, 02:55`; with the day when that is not the day of
/// `now`.
[[nodiscard]] std::string job_state_text(const api_document& job, const core::zone& where, core::time_point now);

/// Every job, whatever stands in it, is one line.
[[nodiscard]] std::string jobs_table(const api_document& jobs, const group_titles& groups, const core::zone& where,
                                     core::time_point now);
[[nodiscard]] std::string describe_job(const api_document& job, const group_titles& groups, const core::zone& where,
                                       core::time_point now);

/// What a page of HTML says, for a terminal: `<br>` ends a line, other tags go, entities become characters.
[[nodiscard]] std::string plain_text(std::string_view html);

[[nodiscard]] std::string dumped(const nlohmann::json& document);

} // namespace ringmaster::apps
