#pragma once

// The compact form in which a log row keeps what is known about a trigger; the text that people see is made from it when read.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/job/job.hpp"
#include "core/run/run.hpp"

namespace ringmaster::core {

struct trigger_note {
  trigger_kind kind = trigger_kind::cron;
  std::string node_host;
  route_strategy route = route_strategy::first;
  shard part;
  block_strategy block = block_strategy::serial_execution;
  std::int32_t timeout_s = 0;
  std::int32_t retry_left = 0;
  /// The comma list that was asked for in place of the group's; empty: the group's.
  std::string addresses = {};
  /// Set by T3 behind the fixed part: the executor's answer or our reason. Empty for a plain success.
  std::string message = {};
  /// `message` is the answer of an executor that was asked and refused the run.
  bool refused = false;
  /// The run that this one repeats or follows; 0: none.
  log_id origin = {};
  /// Of the row of dropped instants (kind `missed`).
  std::optional<missed_instants> missed = {};
  friend bool operator==(const trigger_note&, const trigger_note&) = default;
};

/// `rm1;cron;host;FIRST;0/1;SERIAL_EXECUTION;0;3;` + message; the kind of a run with an origin is `retry@23`. About 60 bytes; at
/// most 15 000 with its message, cut at a UTF-8 character. A host's `;` is replaced. The message of a refusal begins with
/// `refusal_mark`. With addresses of its own: `rm2;…;3;http://a/,http://b/;` + message; of very many the first ones. Of dropped
/// instants: `rm3;missed;…;0;3;1700000000000;1700000060000;` + message: their number, the first, the last.
[[nodiscard]] std::string encode(const trigger_note& note);

/// Stands before the executor's words in the stored message of a refused run, so that they differ from a reason of ours.
inline constexpr std::string_view refusal_mark = "refused: ";

/// Returns the message that T3 stores of a run that its executor refused with these words.
[[nodiscard]] std::string refusal_message(std::string_view words);

/// Returns the words alone; any other message unchanged.
[[nodiscard]] std::string_view without_refusal_mark(std::string_view message) noexcept;

/// The message of a run begins with it if it is not known whether the executor received the run.
inline constexpr std::string_view unknown_delivery = "delivery unknown: ";

/// What a regular expression finds a note by.
inline constexpr std::string_view note_pattern = "^rm[123];";

/// Nothing when the text is not ours (a Java admin's HTML).
[[nodiscard]] std::optional<trigger_note> decode_trigger_note(std::string_view text);

/// How the text of a row of dropped instants begins.
inline constexpr std::string_view missed_mark = "rm3;missed;";

/// The dropped instants of a log row, by its trigger message; nothing for a run.
[[nodiscard]] std::optional<missed_instants> missed_in(std::string_view trigger_message);

/// The note of the row of dropped instants.
[[nodiscard]] trigger_note note_of(const missed_gap& gap, std::string_view node_host);

/// The note of a run at its claim.
[[nodiscard]] trigger_note note_of(const planned_run& run, std::string_view node_host);

} // namespace ringmaster::core
