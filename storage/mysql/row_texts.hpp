#pragma once

// Log rows as Java admins write them (XXL admin §5.5), for a database that they read, too.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/run.hpp"
#include "core/trigger_text.hpp"
#include "storage/mysql/session.hpp"

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

/// What an answer leaves in place of the end of a claim's text, and behind a text of another form (a compact note of native
/// mode).
struct trigger_ending {
  std::string in_place;
  std::string behind;
};
[[nodiscard]] trigger_ending ending_of(const session& own, std::int32_t code, std::string_view message);

} // namespace ringmaster::storage::mysql
