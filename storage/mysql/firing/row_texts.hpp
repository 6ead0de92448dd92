#pragma once

// Log rows as Java admins write them (XXL admin §5.5), for a database that they read, too.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/run/run.hpp"
#include "core/run/trigger_text.hpp"
#include "storage/mysql/driver/session.hpp"

namespace ringmaster::storage::mysql {

/// A group's part in the text of its runs.
struct group_text {
  bool manual = false;
  std::optional<std::string> addresses;
};

/// Of the groups of `runs`. Throws `driver_error`.
[[nodiscard]] std::map<core::group_id, group_text> group_texts(session& own, std::span<const core::planned_run> runs);

/// The trigger message at the claim: all but what becomes of the request.
[[nodiscard]] std::string claim_text(const session& own, const core::planned_run& run, std::string_view node_host,
                                     const std::map<core::group_id, group_text>& groups);

/// The text, its open end replaced by the value that follows here in the statement; a text of another form (a compact note of
/// native mode) goes to the CASE's ELSE. Takes `core::pending_end` three times.
#define RINGMASTER_CLOSED_IN_PLACE                                                                                               \
  "CASE RIGHT(trigger_msg, CHAR_LENGTH(?)) WHEN ? THEN CONCAT(LEFT(trigger_msg, CHAR_LENGTH(trigger_msg) - CHAR_LENGTH(?)), "

/// The same in a statement that hurries, for a column in UTF-8: what works on bytes need not count characters.
#define RINGMASTER_CLOSED_IN_BYTES                                                                                               \
  "CASE RIGHT(CONVERT(trigger_msg USING binary), LENGTH(?)) WHEN ? THEN"                                                         \
  " CONCAT(LEFT(CONVERT(trigger_msg USING binary), LENGTH(trigger_msg) - LENGTH(?)), "

} // namespace ringmaster::storage::mysql
