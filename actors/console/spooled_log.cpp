#include "actors/console/spooled_log.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "actors/console/run_errors.hpp"

namespace ringmaster::actors {

namespace {

/// Bytes that are searched at a time.
constexpr std::size_t searched_bytes = 256 * 1024;
/// Bytes of JSON that are decoded at a time.
constexpr std::size_t decoded_bytes = 32 * 1024;
/// An executor that answers in parts sends at least this much while it has more.
constexpr std::size_t long_answer_bytes = 16 * 1024;
/// A message in place of a log is a sentence.
constexpr std::size_t message_bytes_max = 4 * 1024;

std::string in_mib(std::uint64_t bytes) { return std::to_string(bytes / 1024 / 1024) + " MiB"; }

} // namespace

void spooled_log::know(const core::log_row& run) {
  if (run.handle_code != 0 || run_.handle_code == 0)
    run_ = run;
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
  decoder_.emplace(next_asked_);
  begin_ = file_->end();
  lines_before_ = file_->lines();
  had_result_ = run_.handle_code != 0;
  short_of_room_ = false;
  head_.clear();
  stop_reason_.clear();
  return next_asked_;
}

void spooled_log::restart_answer() {
  if (!decoder_)
    return;
  decoder_.emplace(next_asked_);
  too_long_ = short_of_room_ = false;
  head_.clear();
  stop_reason_.clear();
  if (auto back = file_->return_to(begin_); !back)
    stop(std::move(back.error().context));
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
  if (file_->end().bytes + text.size() > rules_.bytes_max) {
    too_long_ = true;
    return stop("the log is longer than " + in_mib(rules_.bytes_max) + "; only its executor has the rest");
  }
  short_of_room_ = !rules_.make_room(text.size());
  if (short_of_room_)
    return stop("this node has no room for more copies of logs");
  const bool continues_open_line = file_->end().bytes == begin_.bytes && file_->has_open_line();
  auto done = continues_open_line ? file_->append("\n") : core::result<void>{};
  if (done)
    done = file_->append(text);
  if (done)
    return;
  short_of_room_ = true;
  stop(std::move(done.error().context));
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
  end_answer(answer);
}

void spooled_log::end_answer(const core::result<protocol::wire::log_chunk>& answer) {
  if (!decoder_)
    return;
  decoder_.reset();
  may_have_more_ = false;
  message_.clear();
  failure_.reset();
  partial_reason_.clear();
  if (!wants_more())
    return broke_off({core::errc::unavailable, stop_reason_, core::refusal::none, "log"});
  if (!answer)
    return broke_off(answer.error());
  if (answer->to_line < next_asked_) {
    // Text without a line number is a message: there is no log, or no more of it.
    message_ = head_;
    message_line_ = answer->to_line;
    complete_ = had_result_ && message_.empty();
    if (auto back = file_->return_to(begin_); !back)
      broke_off(back.error());
    return;
  }
  next_asked_ = answer->to_line < std::numeric_limits<std::int32_t>::max() ? answer->to_line + 1 : answer->to_line;
  complete_ = had_result_ && answer->end;
  may_have_more_ = !complete_ && file_->end().bytes - begin_.bytes >= long_answer_bytes;
}

/// Keeps the whole lines of an answer without an end.
void spooled_log::broke_off(const core::error& why) {
  failure_ = why;
  const auto& end = file_->end();
  if (end.bytes > begin_.bytes && file_->has_open_line())
    if (auto back = file_->return_to({end.whole_bytes, end.whole_bytes, end.whole_lines}); !back)
      failure_ = back.error();
  next_asked_ += std::max(file_->lines() - lines_before_, 0);
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

protocol::run_log spooled_log::message_of_executor(std::int32_t from_line) const {
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
  if (line <= lines || is_answering())
    out.next_line = line;
  return out;
}

core::result<protocol::run_log> spooled_log::piece(std::int32_t from_line, const core::piece_limits& limits) const {
  const auto lines = lines_shown();
  const bool is_after_end = limits.tail ? lines == 0 : from_line > lines;
  if (auto why = missing(is_after_end))
    return tl::unexpected{std::move(*why)};
  if (is_after_end && !message_.empty())
    return message_of_executor(from_line);
  auto found = file_->piece(from_line, limits, is_answering());
  if (!found)
    return tl::unexpected{std::move(found.error())};
  protocol::run_log part{run_, found->from_line, found->to_line, std::move(found->content), false, false};
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
