#include "actors/console/spooled_log.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "actors/console/run_errors.hpp"
#include "actors/console/written_run.hpp"

namespace ringmaster::actors {

namespace {

/// Bytes that are searched at a time.
constexpr std::size_t searched_bytes = 256 * 1024;
/// Bytes of JSON that are decoded at a time.
constexpr std::size_t decoded_bytes = 32 * 1024;
/// An executor that answers in parts sends at least this much while it has more, up to a line that does not fit in the rest.
constexpr std::size_t long_answer_bytes = 16 * 1024;
/// Shorter answers after which a finished run is not asked again at once: something may still write.
constexpr int short_answers_max = 4;
/// A message in place of a log is a sentence.
constexpr std::size_t message_bytes_max = 4 * 1024;

std::string in_mib(std::uint64_t bytes) { return std::to_string(bytes / 1024 / 1024) + " MiB"; }

} // namespace

void spooled_log::know(const core::log_row& run) {
  if (run.handle_code != 0 || run_.handle_code == 0)
    run_ = run;
}

bool spooled_log::is_over() const {
  return rules_.wall_now ? has_stopped_writing(run_, rules_.wall_now()) : run_.handle_code != 0;
}

std::string spooled_log::bytes_at(std::uint64_t offset, std::size_t bytes) const {
  return file_ ? file_->read(offset, bytes).value_or(std::string{}) : std::string{};
}

// -- answers ---------------------------------------------------------------------------------------------------------------

core::result<std::int32_t> spooled_log::begin_answer(const std::string& path) {
  if (!file_) {
    auto made = spool_file::create(path);
    if (!made)
      return tl::unexpected{std::move(made.error())};
    file_ = std::move(*made);
  }
  abandoned_ = false;
  had_result_ = is_over();
  probes_ = probes_ && !had_result_;
  const bool asks_again = file_->lines() > 0 && last_line_ > 0 && !last_is_whole_ && !probes_;
  asked_ = asks_again ? last_line_ : protocol::wire::narrow_line(std::int64_t{last_line_} + 1);
  begin_ = file_->end();
  lines_before_ = file_->lines();
  if (auto begun = begin_text(asks_again); !begun)
    return tl::unexpected{std::move(begun.error())};
  return asked_;
}

core::result<void> spooled_log::begin_text(bool asks_again) {
  repeat_.reset();
  if (asks_again) {
    auto line = line_repeat::of(*file_);
    if (!line)
      return tl::unexpected{std::move(line.error())};
    repeat_ = std::move(*line);
  }
  decoder_.emplace(asked_);
  facts_ = {};
  added_ = short_of_room_ = false;
  head_.clear();
  stop_reason_.clear();
  return {};
}

core::result<void> spooled_log::undo_answer() {
  return repeat_ ? repeat_->undo(*file_, begin_) : file_->return_to(begin_);
}

void spooled_log::restart_answer() {
  if (!decoder_)
    return;
  too_long_ = false;
  auto done = undo_answer().and_then([this] { return begin_text(repeat_.has_value()); });
  if (!done)
    stop(std::move(done.error().context));
  if (abandoned_)
    abandon();
}

void spooled_log::abandon() {
  if (!decoder_ || !wants_more())
    return;
  abandoned_ = true;
  stop("no reader waited for the rest of the log");
}

void spooled_log::take_json(std::string_view bytes) {
  if (!decoder_)
    return;
  std::string text;
  for (; !bytes.empty() && wants_more(); bytes.remove_prefix(std::min(bytes.size(), decoded_bytes))) {
    text.clear();
    decoder_->feed(bytes.substr(0, decoded_bytes), text);
    take_text(text);
  }
}

void spooled_log::take_text(std::string_view text) {
  if (text.empty() || !wants_more())
    return;
  head_ += text.substr(0, message_bytes_max - head_.size());
  facts_.add(text);
  if (repeat_) {
    const auto rest = repeat_->take(*file_, text);
    if (!rest)
      return stop_for_room(rest.error());
    text = *rest;
  }
  if (!text.empty())
    add(text);
}

void spooled_log::add(std::string_view text) {
  if (file_->end().bytes + text.size() > rules_.bytes_max) {
    too_long_ = true;
    return stop("the log is longer than " + in_mib(rules_.bytes_max) + "; only its executor has the rest");
  }
  if (!rules_.make_room(text.size())) {
    short_of_room_ = true;
    return stop("this node has no room for more copies of logs");
  }
  const bool ends_open_line = !std::exchange(added_, true) && !repeat_ && file_->has_open_line();
  auto done = ends_open_line ? file_->append("\n") : core::result<void>{};
  if (done)
    done = file_->append(text);
  if (!done)
    stop_for_room(done.error());
}

void spooled_log::stop_for_room(const core::error& why) {
  short_of_room_ = true;
  stop(why.context);
}

void spooled_log::stop(std::string reason) {
  if (stop_reason_.empty())
    stop_reason_ = std::move(reason);
}

void spooled_log::end_streamed(unsigned status) {
  if (!decoder_)
    return;
  auto answer = decoder_->finish(status);
  if (!answer)
    answer = tl::unexpected{no_answer_of(run_, answer.error().context)};
  else if (!decoder_->has_last_line() && !facts_.empty() && !facts_.says_missing())
    answer->to_line = counted_line();
  end_answer(answer);
}

void spooled_log::end_answer(const core::result<protocol::wire::log_chunk>& answer) {
  if (!decoder_)
    return;
  decoder_.reset();
  states_size_ = answer && answer->size;
  may_have_more_ = false;
  message_.clear();
  failure_.reset();
  partial_reason_.clear();
  if (!wants_more()) {
    broke_off({core::errc::unavailable, stop_reason_, core::refusal::none, "log"});
    if (std::exchange(abandoned_, false))
      forget_failure();
    return;
  }
  if (!answer)
    return broke_off(answer.error());
  const auto to_line = last_line_in(answer->to_line);
  if (to_line < asked_)
    return took_message(to_line);
  if (probes_)
    return end_probe();
  if (auto done = repeat_ ? repeat_->finish(*file_) : core::result<void>{}; !done)
    return broke_off(done.error());
  last_line_ = to_line;
  took_lines(answer->end);
}

std::int32_t spooled_log::counted_line() const { return protocol::wire::narrow_line(std::int64_t{asked_} - 1 + facts_.lines()); }

/// The executor has the rest.
void spooled_log::forget_failure() {
  failure_.reset();
  partial_reason_.clear();
  may_have_more_ = true;
}

/// Returns the number of the last line in the answer. A number that the text cannot have is replaced.
std::int32_t spooled_log::last_line_in(std::int32_t stated) const {
  const bool is_possible = std::int64_t{stated} - asked_ < static_cast<std::int64_t>(facts_.bytes());
  return is_possible ? stated : counted_line();
}

/// Text without a line number is a message: there is no log, or no more of it.
void spooled_log::took_message(std::int32_t line) {
  message_ = head_;
  message_line_ = line;
  complete_ = had_result_ && message_.empty();
  probes_ = false;
  short_answers_ = std::max(short_answers_, 1);
  if (auto back = undo_answer(); !back)
    broke_off(back.error());
}

/// The last line of the copy is followed by another one, and may have grown before: it is asked for again with the others.
void spooled_log::end_probe() {
  probes_ = false;
  is_followed_ = may_have_more_ = true;
  if (auto back = undo_answer(); !back)
    broke_off(back.error());
}

void spooled_log::took_lines(bool is_end) {
  complete_ = had_result_ && is_end;
  if (repeat_ && repeat_->is_same() && !added_) {
    // Some executors answer in parts, and the next line may not fit in one with this line.
    last_is_whole_ = had_result_ || is_followed_;
    probes_ = !last_is_whole_;
    may_have_more_ = !complete_ && (last_is_whole_ || short_answers_ == 0 || facts_.bytes() >= long_answer_bytes);
    return;
  }
  last_is_whole_ = had_result_;
  is_followed_ = probes_ = false;
  const auto bytes = facts_.bytes();
  largest_ = std::max(largest_, bytes);
  short_answers_ = bytes < long_answer_bytes ? short_answers_ + 1 : 0;
  // Parts are about equal; a shorter answer is what the run has written since.
  const bool is_part = bytes >= long_answer_bytes && bytes * 2 >= largest_;
  may_have_more_ = !complete_ && (is_part || (had_result_ && short_answers_ < short_answers_max));
}

/// Keeps the whole lines of an answer without an end.
void spooled_log::broke_off(const core::error& why) {
  failure_ = why;
  if (probes_)
    if (auto back = undo_answer(); !back)
      failure_ = back.error();
  const auto end = file_->end();
  // A part of the last line is kept, because that line is asked for again.
  const bool is_last_line = repeat_ && repeat_->is_longer() && repeat_->offset() == end.whole_bytes;
  if (end.bytes > begin_.bytes && file_->has_open_line() && !is_last_line)
    if (auto back = file_->return_to({end.whole_bytes, end.whole_bytes, end.whole_lines}); !back)
      failure_ = back.error();
  last_line_ = protocol::wire::narrow_line(std::int64_t{last_line_} + std::max(file_->lines() - lines_before_, 0));
  last_is_whole_ = is_followed_ = probes_ = false;
  partial_reason_ = failure_->context;
}

// -- readers ---------------------------------------------------------------------------------------------------------------

std::int32_t spooled_log::lines_shown() const noexcept {
  if (!file_)
    return 0;
  return is_answering() ? file_->end().whole_lines : file_->lines();
}

bool spooled_log::satisfies(std::int32_t from_line, const core::piece_limits& limits) const {
  if (!is_answering() && is_settled())
    return true;
  const auto lines = lines_shown();
  if (limits.tail || from_line > lines)
    return false;
  if (lines - from_line + 1 >= limits.lines)
    return true;
  const auto offset = file_->offset_of(from_line);
  return offset && file_->end().whole_bytes - std::min(*offset, file_->end().whole_bytes) >= limits.bytes;
}

bool spooled_log::has_part(std::int32_t from_line) const {
  const auto offset = has_line(from_line) ? file_->offset_of(from_line) : core::result<std::uint64_t>{};
  return has_line(from_line) && (!offset || file_->end().bytes - *offset >= long_answer_bytes);
}

core::run_log spooled_log::message_of_executor(std::int32_t from_line) const {
  return {run_, from_line, message_line_, message_, run_.handle_code > 0, false};
}

std::optional<core::error> spooled_log::missing(bool is_after_end) const {
  if (!file_ || (is_after_end && is_answering()))
    return no_answer_of(run_, "request timed out", core::errc::timeout);
  return is_after_end && !too_long_ ? failure_ : std::nullopt;
}

core::result<protocol::log_matches> spooled_log::search(const core::log_search& asked,
                                                        const std::function<bool()>& is_late) const {
  const auto lines = lines_shown();
  auto line = std::max(asked.from_line, 1);
  if (auto why = missing(line > lines))
    return tl::unexpected{std::move(*why)};
  const auto end = is_answering() ? file_->end().whole_bytes : file_->end().bytes;
  core::line_search found{asked};
  auto offset = file_->offset_of(line);
  for (bool is_first = true; offset && line <= lines && !found.has_enough() && (is_first || !is_late()); is_first = false) {
    auto text = file_->read(*offset, static_cast<std::size_t>(std::min<std::uint64_t>(searched_bytes, end - *offset)));
    if (!text)
      return tl::unexpected{std::move(text.error())};
    const auto last_end = text->rfind('\n');
    const bool is_long_line = last_end == std::string::npos && *offset + text->size() < end;
    if (last_end != std::string::npos && *offset + text->size() < end)
      text->resize(last_end + 1);
    line = found.search(*text, line);
    offset = is_long_line ? file_->offset_of(line) : *offset + text->size();
  }
  if (!offset)
    return tl::unexpected{offset.error()};
  protocol::log_matches out{std::move(found.matches()), line - 1, {}, partial_reason_};
  const bool asks_again = is_over() && !is_settled() && (!had_result_ || may_have_more_);
  if (line <= lines || is_answering() || asks_again)
    out.next_line = line;
  return out;
}

core::result<core::run_log> spooled_log::piece(std::int32_t from_line, const core::piece_limits& limits) const {
  const auto lines = lines_shown();
  const bool is_after_end = limits.tail ? lines == 0 : from_line > lines;
  if (auto why = missing(is_after_end))
    return tl::unexpected{std::move(*why)};
  if (is_after_end && !message_.empty())
    return message_of_executor(from_line);
  auto found = file_->piece(from_line, limits, is_answering());
  if (!found)
    return tl::unexpected{std::move(found.error())};
  core::run_log part{run_, found->from_line, found->to_line, std::move(found->content), false, false};
  part.more = found->more;
  part.cut = found->cut;
  part.end = !part.more && run_.handle_code > 0 && !is_answering() && is_settled();
  part.partial_reason = limits.tail && is_answering() ? "the executor is still sending the log" : partial_reason_;
  if (!is_answering()) {
    part.bytes = static_cast<std::int64_t>(file_->end().bytes);
    part.lines = file_->lines();
  }
  return part;
}

} // namespace ringmaster::actors
