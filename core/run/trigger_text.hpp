#pragma once

// What people read about a trigger: the HTML of `trigger_msg` and of the blocks behind it (XXL admin §5.5, §7.2, §7.5). In native
// mode it is made when a row is read; beside Java admins it is stored as they would write it. Every value is escaped.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/trigger_note.hpp"
#include "core/text/language.hpp"

namespace ringmaster::core {

/// How the last part tells what became of the request.
enum class trigger_tail : std::uint8_t {
  /// Up to 3.2: address, code and message of the answer.
  answer,
  /// Since 3.3: address, handler, parameter and a remark.
  remark
};

/// What there is to tell. Views are used at once.
struct trigger_story {
  trigger_note note;
  /// The addresses were entered by hand, or given for this run.
  bool manual_addresses = false;
  /// The group's comma list; nothing: it has none. Those of the note go before.
  std::optional<std::string_view> addresses;
  /// Of the executor that was chosen; empty: none was.
  std::string_view address;
  /// What probes said, or why there is no address.
  std::string_view route_note;
  std::string_view handler;
  std::string_view param;
  /// 0: there is no answer yet. The message of the answer is the note's.
  std::int32_t code = 0;
};

/// Returns a reason that XXL has words for in the reader's language, whatever language it is stored in; all else unchanged.
/// A view of the argument or of a constant.
[[nodiscard]] std::string_view trigger_reason(std::string_view stored, language reader) noexcept;

/// The text of a run, at most `message_units_max` UTF-16 units: long values are cut before they are escaped.
[[nodiscard]] std::string trigger_text(const trigger_story& story, language reader, trigger_tail tail);

/// The end of a text with code 0, and what stands there after a plain success. Both have the same number of characters and bytes,
/// so that recording a success replaces the end in place.
[[nodiscard]] std::string_view pending_end(trigger_tail tail) noexcept;
[[nodiscard]] std::string_view success_end(trigger_tail tail) noexcept;

/// What replaces `pending_end` when the answer is something else.
[[nodiscard]] std::string answered_end(std::int32_t code, std::string_view message, trigger_tail tail);

/// Goes behind the text of a failed run of which a retry was made.
[[nodiscard]] std::string retry_text(language reader, trigger_tail tail);

/// One entry of a parent's list of children.
struct child_start {
  /// As it stands in the list; shown escaped.
  std::string_view job;
  /// False: the entry is no job id.
  bool started = true;
};

/// Returns the entries of a job's list of children, as XXL starts them; the job itself is left out. Views into the job.
[[nodiscard]] std::vector<child_start> child_starts(const job& parent);

/// Goes behind `handle_msg` of a parent that succeeded; empty without children.
[[nodiscard]] std::string child_text(std::span<const child_start> children, language reader, trigger_tail tail);

/// Returns `message` with the text of its job's children behind it, cut to the column; nothing for a job without children.
[[nodiscard]] std::optional<std::string> result_with_children(std::string_view message, const job& parent, language reader,
                                                              trigger_tail tail);

/// `text` with `& < > " '` as entities and invalid UTF-8 replaced, cut to at most `units` UTF-16 units of the result; a cut text
/// ends with `…`.
[[nodiscard]] std::string escaped_html(std::string_view text, std::size_t units);

/// XXL's titles (XXL admin §5.1, §5.7).
[[nodiscard]] std::string_view title(trigger_kind kind, language reader) noexcept;
[[nodiscard]] std::string_view title(route_strategy route, language reader) noexcept;
[[nodiscard]] std::string_view title(block_strategy block, language reader) noexcept;

} // namespace ringmaster::core
