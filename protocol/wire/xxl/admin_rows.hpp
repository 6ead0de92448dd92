#pragma once

// Rows of XXL's lists as JSON (XXL admin §8.5-§8.10). Both dialects have the same fields, but for the form of their dates.

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

/// JSON arrays. Of a job both `jobDesc` and `name`, of a group both `title` and `name`: what the schema's column is called is not
/// the clients' affair.
[[nodiscard]] std::string job_rows(const std::vector<core::job_record>& jobs, reply_style style);
[[nodiscard]] std::string group_rows(const std::vector<core::group_record>& groups, reply_style style);
[[nodiscard]] std::string user_rows(const std::vector<core::user_card>& users, reply_style style);
/// `where`: of `triggerTime` and `handleTime` in the later dialect.
[[nodiscard]] std::string run_rows(const std::vector<core::log_row>& runs, const core::zone& where, reply_style style);
/// One group: JSON object.
[[nodiscard]] std::string group_row(const core::group_record& group, reply_style style);

/// The object of `chartInfo`: the days that there are, else seven of zeros up to `today` (local midnight).
[[nodiscard]] std::string chart(const std::vector<core::day_report>& days, core::time_point today, const core::zone& where);

/// The object of `logDetailCat`. The text is escaped for HTML, but `<br>`, `<b>` and `</b>`.
[[nodiscard]] std::string log_part(std::int32_t from_line, std::int32_t to_line, std::string_view text, bool end);

/// The array of `nextTriggerTime`: texts in `where`.
[[nodiscard]] std::string time_list(const std::vector<core::time_point>& times, const core::zone& where);

/// `yyyy-MM-dd HH:mm:ss`, strict, in `where`; nothing for anything else.
[[nodiscard]] std::optional<core::time_point> parse_local_time(std::string_view text, const core::zone& where);
[[nodiscard]] std::string local_time_text(core::time_point t, const core::zone& where);

} // namespace ringmaster::protocol::wire
