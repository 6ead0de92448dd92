#pragma once

// Texts for users about a trigger: the HTML of `trigger_msg` and of the blocks after it (XXL admin §5.5, §7.2, §7.5). In native
// mode it is made when a row is read; alongside Java admins it is stored in their format. Every value is escaped.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/trigger_note.hpp"
#include "core/text/language.hpp"

namespace ringmaster::core {

/// Form of the last part, which reports the outcome of the request.
enum class trigger_tail : std::uint8_t {
  /// Up to 3.2: address, code and message of the answer.
  answer,
  /// Since 3.3: address, handler, parameter and a remark.
  remark
};

/// Facts for the text. Views are used at once.
struct trigger_story {
  trigger_note note;
  /// The addresses are manual, or were given for this run.
  bool manual_addresses = false;
  /// The group's comma list; unset: it has none. Addresses in the note take precedence.
  std::optional<std::string_view> addresses;
  /// Address of the chosen executor; empty: none was chosen.
  std::string_view address;
  /// Results of the probes, or the reason for a missing address.
  std::string_view route_note;
  std::string_view handler;
  std::string_view param;
  /// 0: there is no answer yet. The message of the answer is in the note.
  std::int32_t code = 0;
};

/// Translates a stored reason for which XXL has words into the reader's language, whatever language it is stored in; any other
/// text is unchanged. Returns a view of the argument or of a constant.
[[nodiscard]] std::string_view trigger_reason(std::string_view stored, language reader) noexcept;

/// Returns true if the text says that the group had no executor, in any language.
[[nodiscard]] bool says_no_address(std::string_view text) noexcept;

/// Returns the label of the last line up to which a text of `trigger_tail::remark` is equal for every outcome.
[[nodiscard]] std::string_view remark_label(language reader) noexcept;

/// Returns the kind of trigger at the beginning of a text in XXL-JOB's format, in any language; unset if it has none.
[[nodiscard]] std::optional<trigger_kind> kind_in_text(std::string_view text) noexcept;

/// Returns the text of a run, at most `message_units_max` UTF-16 units: long values are cut before they are escaped.
[[nodiscard]] std::string trigger_text(const trigger_story& story, language reader, trigger_tail tail);

/// Return the end of a text with code 0, and the end after a plain success. Both have the same number of characters and bytes, so
/// that recording a success replaces the end in place.
[[nodiscard]] std::string_view pending_end(trigger_tail tail) noexcept;
[[nodiscard]] std::string_view success_end(trigger_tail tail) noexcept;

/// Returns the text that replaces `pending_end` for any other answer.
[[nodiscard]] std::string answered_end(std::int32_t code, std::string_view message, trigger_tail tail);

/// Returns the text that follows the text of a failed run with a retry.
[[nodiscard]] std::string retry_text(language reader, trigger_tail tail);

/// One entry of a parent's list of children.
struct child_start {
  /// Text of the entry in the list; shown escaped.
  std::string_view job;
  /// False if the entry is not a job id.
  bool started = true;
};

/// Returns the entries of a job's list of children, as XXL starts them, without the job itself. Views into the job.
[[nodiscard]] std::vector<child_start> child_starts(const job& parent);

/// Return the heading of the part about children, and the word of its lines for a child that was started.
[[nodiscard]] std::string_view child_heading(language reader) noexcept;
[[nodiscard]] std::string_view child_success(language reader) noexcept;

/// Returns the text that follows `handle_msg` of a successful parent; empty without children.
[[nodiscard]] std::string child_text(std::span<const child_start> children, language reader, trigger_tail tail);

/// Returns `message` followed by the text of its job's children, cut to the column; unset for a job without children.
[[nodiscard]] std::optional<std::string> result_with_children(std::string_view message, const job& parent, language reader,
                                                              trigger_tail tail);

/// Replaces `& < > " '` by entities and invalid UTF-8 by U+FFFD, and cuts the result to at most `units` UTF-16 units; a cut text
/// ends with `…`.
[[nodiscard]] std::string escaped_html(std::string_view text, std::size_t units);

/// XXL's titles (XXL admin §5.1, §5.7).
[[nodiscard]] std::string_view title(trigger_kind kind, language reader) noexcept;
[[nodiscard]] std::string_view title(route_strategy route, language reader) noexcept;
[[nodiscard]] std::string_view title(block_strategy block, language reader) noexcept;

} // namespace ringmaster::core
