// run_admin: reading pieces of logs from executors that know bounds, without a copy.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "actors/console/run_admin.hpp"
#include "actors/console/run_errors.hpp"
#include "actors/console/written_run.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

namespace {

/// Bytes in addition to those of a piece. An executor marks a line that it has cut, and the mark is left out then.
constexpr std::size_t bytes_margin = 4 * 1024;

core::log_bounds bounds_of(const core::piece_limits& limits) {
  core::log_bounds bounds{static_cast<std::int32_t>(std::min(limits.bytes, core::piece_bytes_max) + bytes_margin)};
  if (limits.tail)
    bounds.tail = std::min(*limits.tail, limits.lines);
  return bounds;
}

/// Returns the number of the first line in an answer.
std::int32_t first_line_of(const protocol::log_reply& reply, std::int32_t asked_line, const core::piece_limits& limits) noexcept {
  return std::max(limits.tail ? reply.from_line : asked_line, 1);
}

/// Returns true if the line numbers of an answer are those of its text and its log.
bool has_true_numbers(const protocol::log_reply& reply, std::int32_t first) noexcept {
  if (reply.size->lines < 0 || reply.size->bytes < 0)
    return false;
  const auto lines = std::int64_t{reply.to_line} - first + 1;
  return lines <= 0 || (reply.to_line <= reply.size->lines && lines == core::count_lines(reply.content));
}

/// Returns the piece that the reader asked for. The answer has true numbers. `is_over`: the run writes no more.
core::run_log piece_in(core::log_row&& run, std::int32_t asked_line, protocol::log_reply&& reply,
                       const core::piece_limits& limits, bool is_over) {
  const auto size = *reply.size;
  const auto first = first_line_of(reply, asked_line, limits);
  const bool has_result = run.handle_code > 0;
  core::run_log part{std::move(run), first, reply.to_line, {}, false, false};
  if (reply.to_line < first && !reply.content.empty()) { // a message: there is no log
    part.content = std::move(reply.content);
    part.end = has_result;
    return part;
  }
  part.bytes = size.bytes;
  if (size.counted)
    part.lines = size.lines;
  if (reply.to_line < first) {
    part.to_line = std::min(size.lines, first - 1);
    part.end = is_over && has_result;
    return part;
  }
  const auto piece = core::piece_of(reply.content, first, first, limits);
  part.from_line = piece.from_line;
  part.to_line = piece.to_line;
  part.content = piece.content;
  part.cut = piece.cut;
  part.more = piece.more || piece.to_line < size.lines || !size.counted;
  part.end = is_over && has_result && !part.more;
  return part;
}

core::error still_counting(const core::log_row& run) {
  return no_answer_of(run, "it is still counting the lines of the log; try again in a few seconds", core::errc::timeout);
}

} // namespace

bool run_admin_state::answers_in_pieces(const std::string& address) const {
  const auto* known = piecewise_.find(address);
  return known && *known;
}

void run_admin_state::ask_piece(std::shared_ptr<log_question> asked) {
  link_of(asked->run, [this, asked](core::result<protocol::executor_link>&& link) {
    if (!link)
      return asked->fail(link.error());
    const auto& run = asked->run;
    protocol::request(self_, *link, left_for(*asked),
                      protocol::log_request{run.id, run.trigger_time, asked->from_line, run.group, {}, bounds_of(asked->limits)})
      .then([this, asked](protocol::log_reply& reply) { piece_told(asked, std::move(reply)); },
            [asked](const caf::error&) {
              asked->fail(asked->counting > 0 ? still_counting(asked->run)
                                              : no_answer_of(asked->run, "request timed out", core::errc::timeout));
            });
  });
}

void run_admin_state::piece_told(std::shared_ptr<log_question> asked, protocol::log_reply&& reply) {
  // Another program has the address now, or the executor was replaced by an earlier release.
  if (reply.too_long || (reply.answered && !reply.size)) {
    piecewise_.use(asked->run.executor_address, false) = false;
    asked->is_for_spool = true;
    return ask_spool(std::move(asked));
  }
  const bool is_counting = reply.size && !reply.size->counted;
  if (!reply.answered || (asked->cut && !is_counting && is_message(reply, asked->from_line)))
    return asked->fail(no_answer_of(asked->run, reply.error));
  const auto first = first_line_of(reply, asked->from_line, asked->limits);
  if (!has_true_numbers(reply, first))
    return asked->fail(no_answer_of(asked->run, "its answer has invalid line numbers"));
  if (is_counting && reply.to_line < first && reply.content.empty()) {
    const bool may_ask = ++asked->counting < counting_max && self_->clock().now() < asked->until;
    return may_ask ? ask_piece(std::move(asked)) : asked->fail(still_counting(asked->run));
  }
  const bool is_over = has_stopped_writing(asked->run, now());
  asked->promise.deliver(piece_in(std::move(asked->run), asked->from_line, std::move(reply), asked->limits, is_over));
}

} // namespace ringmaster::actors
