#pragma once

// Log rows as Java admins write them (XXL admin §5.5), for a database that they also read.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/run/run.hpp"
#include "core/run/trigger_text.hpp"
#include "storage/mysql/driver/session.hpp"

namespace ringmaster::storage::mysql {

/// The group's part in the trigger text of its runs.
struct group_text {
  bool manual = false;
  std::optional<std::string> addresses;
};

/// Returns the parts of the groups of `runs`. Throws `driver_error`.
[[nodiscard]] std::map<core::group_id, group_text> group_texts(session& own, std::span<const core::planned_run> runs);

/// Returns the trigger message at the claim, without the result of the request.
[[nodiscard]] std::string claim_text(const session& own, const core::planned_run& run, std::string_view node_host,
                                     const std::map<core::group_id, group_text>& groups);

/// Replaces the open end of the text by the value that follows here in the statement; a text of another form (a compact note of
/// native mode) goes to the CASE's ELSE. Takes `core::pending_end` three times.
#define RINGMASTER_CLOSED_IN_PLACE                                                                                               \
  "CASE RIGHT(trigger_msg, CHAR_LENGTH(?)) WHEN ? THEN CONCAT(LEFT(trigger_msg, CHAR_LENGTH(trigger_msg) - CHAR_LENGTH(?)), "

/// Does the same faster, for a column in UTF-8: functions on bytes need not count characters.
#define RINGMASTER_CLOSED_IN_BYTES                                                                                               \
  "CASE RIGHT(CONVERT(trigger_msg USING binary), LENGTH(?)) WHEN ? THEN"                                                         \
  " CONCAT(LEFT(CONVERT(trigger_msg USING binary), LENGTH(trigger_msg) - LENGTH(?)), "

} // namespace ringmaster::storage::mysql
