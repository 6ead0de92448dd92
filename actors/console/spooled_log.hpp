#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "actors/console/line_repeat.hpp"
#include "actors/console/spool_file.hpp"
#include "core/result.hpp"
#include "core/run/log_piece.hpp"
#include "core/run/log_row.hpp"
#include "core/time.hpp"
#include "protocol/admin_messages.hpp"
#include "protocol/wire/executor/log_decoder.hpp"

namespace ringmaster::actors {

/// Copy of the log of one run in a file, and the answers that it is made of. Lines are counted here; where an executor counts
/// otherwise, its numbers are used only to ask it. Blocks; one thread.
class spooled_log {
public:
  struct limits {
    /// Size of one copy.
    std::uint64_t bytes_max = 256 * 1024 * 1024;
    /// Returns false if there is no room for so many bytes more.
    std::function<bool(std::size_t bytes)> make_room;
    /// Civil time. Null: a run with a result does not write any more.
    std::function<core::time_point()> wall_now = {};
  };

  spooled_log(core::log_row run, limits rules) : run_{std::move(run)}, rules_{std::move(rules)} {}

  [[nodiscard]] const core::log_row& run() const noexcept { return run_; }
  /// Takes over a newer reading of the run's row.
  void know(const core::log_row& run);
  [[nodiscard]] std::uint64_t bytes() const noexcept { return file_ ? file_->end().bytes : 0; }

  /// Returns the size of the text that does not depend on the answer under way.
  [[nodiscard]] std::uint64_t settled_bytes() const noexcept { return is_answering() ? begin_.bytes : bytes(); }
  /// Returns these bytes of the copy, or fewer if it does not have them.
  [[nodiscard]] std::string bytes_at(std::uint64_t offset, std::size_t bytes) const;

  // -- answers of the executor, one after the other --

  /// Begins an answer; creates the file `path` for the first one. Returns the first line to ask for. Errors: `unavailable`.
  [[nodiscard]] core::result<std::int32_t> begin_answer(const std::string& path);
  /// Forgets what came of the answer: the executor is asked again.
  void restart_answer();
  /// Takes bytes of a streamed answer.
  void take_json(std::string_view bytes);
  /// Takes text of an answer that was read whole.
  void take_text(std::string_view text);
  /// Drops the rest of the answer, which no reader waits for: the next one begins with it.
  void abandon();
  /// Ends a streamed answer with an HTTP status.
  void end_streamed(unsigned status);
  /// Ends an answer: its numbers, or the reason why it is missing or not whole.
  void end_answer(const core::result<protocol::wire::log_chunk>& answer);

  [[nodiscard]] bool is_answering() const noexcept { return decoder_.has_value(); }
  /// Returns false once the rest of the answer would be dropped.
  [[nodiscard]] bool wants_more() const noexcept { return stop_reason_.empty(); }
  /// Returns true if the executor may have more, because it answers in parts.
  [[nodiscard]] bool may_have_more() const noexcept { return may_have_more_; }
  /// Returns true if the last answer states the size of the log: its executor answers in pieces itself.
  [[nodiscard]] bool states_size() const noexcept { return states_size_; }
  /// Returns true if a disk or the room for all copies was full: to be tried again later.
  [[nodiscard]] bool was_short_of_room() const noexcept { return short_of_room_; }

  // -- readers --

  /// Returns true if the copy has everything that a reader may get, without another answer.
  [[nodiscard]] bool satisfies(std::int32_t from_line, const core::piece_limits& limits) const;
  /// Returns true if the copy has so much from this line on that a reader of one part after the other goes on after it.
  [[nodiscard]] bool has_part(std::int32_t from_line) const;
  /// Returns true if the copy has whole lines from this one on.
  [[nodiscard]] bool has_line(std::int32_t line) const noexcept { return line <= lines_shown(); }
  /// Returns the piece that a reader gets of what has arrived. Errors: that of the last answer, if there is no line to return;
  /// `timeout` while the first lines have not arrived.
  [[nodiscard]] core::result<core::run_log> piece(std::int32_t from_line, const core::piece_limits& limits) const;

  /// Searches what has arrived, until `is_late`; at least 256 KiB. Of a longer line only its first 256 KiB are searched. Errors:
  /// as `piece`.
  [[nodiscard]] core::result<protocol::log_matches> search(const core::log_search& asked,
                                                           const std::function<bool()>& is_late) const;

private:
  /// Returns the error for a reader at this line who gets nothing; nothing if there is something to return.
  [[nodiscard]] std::optional<core::error> missing(bool is_after_end) const;
  [[nodiscard]] std::int32_t lines_shown() const noexcept;
  [[nodiscard]] bool is_settled() const noexcept { return complete_ || too_long_; }
  [[nodiscard]] core::run_log message_of_executor(std::int32_t from_line) const;
  /// Returns true if the run has a result, and has had the time to write its last lines.
  [[nodiscard]] bool is_over() const;

  /// Begins the text of an answer, or begins it again. `asks_again`: it begins with the last line of the copy.
  [[nodiscard]] core::result<void> begin_text(bool asks_again);
  [[nodiscard]] core::result<void> undo_answer();
  void add(std::string_view text);
  void stop(std::string reason);
  void stop_for_room(const core::error& why);
  [[nodiscard]] std::int32_t counted_line() const;
  [[nodiscard]] std::int32_t last_line_in(std::int32_t stated) const;
  void took_message(std::int32_t line);
  void end_probe();
  void took_lines(bool is_end);
  void broke_off(const core::error& why);
  void forget_failure();

  core::log_row run_;
  limits rules_;
  std::unique_ptr<spool_file> file_;

  /// Last line of the copy, by the count of the executor; 0: none.
  std::int32_t last_line_ = 0;
  /// The last line cannot grow any more: the executor is asked from the line after it. Otherwise it is asked for again, because
  /// XXL-JOB's executors also send a line that is still being written.
  bool last_is_whole_ = false;
  /// There was a line after the last line when the executor was asked for that one again.
  bool is_followed_ = false;
  /// The next answer only shows whether there is a line after the last line.
  bool probes_ = false;
  /// The log is here to its end, and its run has a result.
  bool complete_ = false;
  /// The log is longer than a copy may be.
  bool too_long_ = false;
  bool short_of_room_ = false;
  bool may_have_more_ = false;
  bool states_size_ = false;
  /// Size of the largest answer, and the number of short ones since a long one.
  std::uint64_t largest_ = 0;
  int short_answers_ = 1;
  /// Reason why the copy ends early.
  std::string partial_reason_;
  std::optional<core::error> failure_;
  /// Message of the executor in place of a log, and the line number with it.
  std::string message_;
  std::int32_t message_line_ = 0;

  // -- the answer under way --
  std::optional<protocol::wire::log_decoder> decoder_;
  /// First line of the request.
  std::int32_t asked_ = 1;
  /// Last line of the copy, if it was asked for again.
  std::optional<line_repeat> repeat_;
  protocol::wire::log_text_facts facts_;
  /// The answer has text that the copy did not have.
  bool added_ = false;
  /// End of the text, and the number of lines, before the answer.
  spool_file::position begin_;
  std::int32_t lines_before_ = 0;
  /// The run was over when the executor was asked.
  bool had_result_ = false;
  /// Beginning of the answer's text.
  std::string head_;
  bool abandoned_ = false;
  /// Reason why the rest of the answer is dropped; empty: it is not.
  std::string stop_reason_;
};

} // namespace ringmaster::actors
