#pragma once

// Compact form of the facts about a trigger in a log row; the text for users is made from it when the row is read.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/job/job.hpp"
#include "core/run/run.hpp"

namespace ringmaster::core {

struct trigger_note {
  trigger_kind kind = trigger_kind::cron;
  /// Name of the node that claimed the run. Rows from before 0.1 have the name of its host.
  std::string node_host;
  route_strategy route = route_strategy::first;
  shard part;
  block_strategy block = block_strategy::serial_execution;
  std::int32_t timeout_s = 0;
  std::int32_t retry_left = 0;
  /// The requested comma list that replaces the group's; empty: the group's.
  std::string addresses = {};
  /// Added by T3 after the fixed part: the executor's answer or Ringmaster's reason. Empty for a plain success.
  std::string message = {};
  /// `message` is the answer of an executor that refused the run.
  bool refused = false;
  /// The run that this one repeats or follows; 0: none.
  log_id origin = {};
  /// The first instant for which a run of kind `misfire` was sent, if it is known.
  std::optional<time_point> instant = {};
  /// Number of further missed instants for which it was sent; 0 without `instant`.
  std::size_t merged = 0;
  /// Set for the row of dropped instants (kind `missed`).
  std::optional<missed_instants> missed = {};
  friend bool operator==(const trigger_note&, const trigger_note&) = default;
};

/// Formats a note: `rm1;cron;node;FIRST;0/1;SERIAL_EXECUTION;0;3;` + message. The kind of a run with an origin is `retry@23`,
/// that of a late run with its first instant `misfire@1700000000000`, with four more missed instants `misfire@1700000000000+4`.
/// It has about 60 bytes; at most 15 000 with its message, cut at a UTF-8 character. A `;` in the node's name is replaced. The
/// message of a refusal begins with `refusal_mark`.
///
/// With addresses of its own: `rm2;…;3;http://a/,http://b/;` + message; of very many, the first ones. For dropped instants:
/// `rm3;missed;…;0;3;1700000000000;1700000060000;` + message: their number, the first, the last.
[[nodiscard]] std::string encode(const trigger_note& note);

/// Prefix of the executor's words in the stored message of a refused run, which distinguishes them from a reason of Ringmaster.
inline constexpr std::string_view refusal_mark = "refused: ";

/// Returns the message that T3 stores for a run that its executor refused with these words.
[[nodiscard]] std::string refusal_message(std::string_view words);

/// Returns the words without the prefix; any other message unchanged.
[[nodiscard]] std::string_view without_refusal_mark(std::string_view message) noexcept;

/// Prefix of the message of a run of which it is unknown whether the executor received it.
inline constexpr std::string_view unknown_delivery = "delivery unknown: ";

/// Regular expression that matches a note.
inline constexpr std::string_view note_pattern = "^rm[123];";

/// Parses a note; unset if Ringmaster did not write the text (a Java admin's HTML).
[[nodiscard]] std::optional<trigger_note> decode_trigger_note(std::string_view text);

/// Prefix of the text of a row of dropped instants.
inline constexpr std::string_view missed_mark = "rm3;missed;";

/// Returns the dropped instants of a log row from its trigger message; unset for a run.
[[nodiscard]] std::optional<missed_instants> missed_in(std::string_view trigger_message);

/// Returns the note of the row of dropped instants.
[[nodiscard]] trigger_note note_of(const missed_gap& gap, std::string_view node_host);

/// Returns the note of a run at its claim.
[[nodiscard]] trigger_note note_of(const planned_run& run, std::string_view node_host);

} // namespace ringmaster::core
