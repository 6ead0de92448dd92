#pragma once

// Jobs and runs as commands print them.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/job_card.hpp"
#include "core/zone.hpp"

namespace ringmaster::apps {

/// `2026-11-21 10:00:00.250` in `where`; no milliseconds when there are none.
[[nodiscard]] std::string local_text(core::time_point t, const core::zone& where);

/// `0 0 1 * * ?`, `every 5 s`, `every 250 ms`, `none`.
[[nodiscard]] std::string schedule_text(const core::job_card& card);

/// `waiting`, `sent`, `succeeded`, `failed`, `not sent`, `timed out`.
[[nodiscard]] std::string state_of(const core::log_row& row);

/// Milliseconds since the epoch.
[[nodiscard]] nlohmann::json ms_or_null(const std::optional<core::time_point>& t);
[[nodiscard]] nlohmann::json to_json(const core::job_card& card);
[[nodiscard]] nlohmann::json to_json(const core::log_row& row);
[[nodiscard]] std::string dumped(const nlohmann::json& document);

[[nodiscard]] std::string jobs_table(const std::vector<core::job_card>& cards, const core::zone& where);
[[nodiscard]] std::string runs_table(const std::vector<core::log_row>& rows, const core::zone& where);
[[nodiscard]] std::string describe(const core::job_card& card, const core::zone& where);
[[nodiscard]] std::string describe(const core::log_row& row, const core::zone& where);

/// What a page of HTML says, for a terminal: `<br>` ends a line, other tags go, entities become characters.
[[nodiscard]] std::string plain_text(std::string_view html);

} // namespace ringmaster::apps
