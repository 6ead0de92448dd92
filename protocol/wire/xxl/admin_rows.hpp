#pragma once

// Rows of XXL's lists as JSON (XXL admin §8.5-§8.10). Both dialects have the same fields, except for the form of their dates.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/access/user.hpp"
#include "core/editing/group_draft.hpp"
#include "core/editing/job_draft.hpp"
#include "core/maintenance/log_maintenance.hpp"
#include "core/run/log_row.hpp"
#include "core/zone/zone.hpp"
#include "protocol/wire/xxl/dialect.hpp"

namespace ringmaster::protocol::wire {

/// Return JSON arrays. A job has both `jobDesc` and `name`, a group both `title` and `name`: the name of the schema's column is
/// hidden from clients.
[[nodiscard]] std::string job_rows(const std::vector<core::job_record>& jobs, reply_style style);
[[nodiscard]] std::string group_rows(const std::vector<core::group_record>& groups, reply_style style);
[[nodiscard]] std::string user_rows(const std::vector<core::user_card>& users, reply_style style);
/// `where`: zone of `triggerTime` and `handleTime` in the later dialect.
[[nodiscard]] std::string run_rows(const std::vector<core::log_row>& runs, const core::zone& where, reply_style style);
/// Returns one group as a JSON object.
[[nodiscard]] std::string group_row(const core::group_record& group, reply_style style);

/// Returns the object of `chartInfo`: the present days, else seven of zeros up to `today` (local midnight).
[[nodiscard]] std::string chart(const std::vector<core::day_report>& days, core::time_point today, const core::zone& where);

/// Returns the object of `logDetailCat`. The text is escaped for HTML, except `<br>`, `<b>` and `</b>`.
[[nodiscard]] std::string log_part(std::int32_t from_line, std::int32_t to_line, std::string_view text, bool end);

/// Returns the array of `nextTriggerTime`: texts in the zone `where`.
[[nodiscard]] std::string time_list(const std::vector<core::time_point>& times, const core::zone& where);

/// Reads `yyyy-MM-dd HH:mm:ss`, strictly, in the zone `where`; nothing for another text.
[[nodiscard]] std::optional<core::time_point> parse_local_time(std::string_view text, const core::zone& where);
[[nodiscard]] std::string local_time_text(core::time_point t, const core::zone& where);

} // namespace ringmaster::protocol::wire
