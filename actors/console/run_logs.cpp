// run_admin: reading the log of a run, from the kept copy or from its executor.

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "actors/console/run_admin.hpp"
#include "actors/console/run_errors.hpp"
#include "actors/console/spool_source.hpp"
#include "actors/store/store_access.hpp"
#include "core/run/kept_log.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

namespace {

/// Longest wait until a whole log is here.
constexpr std::chrono::seconds file_patience{60};
/// The spool answers before run_admin stops waiting for it.
constexpr std::chrono::milliseconds spool_margin{500};
constexpr const char* only_beginning = "only the beginning of the log is kept, and its executor does not have the rest";

core::error no_copies() {
  return {core::errc::unavailable, "this node keeps no copies of logs", core::refusal::none, "log"};
}

core::error has_no_log(core::log_id run) {
  return {core::errc::invalid_argument,
          "run " + std::to_string(core::number(run)) + " has no log: no executor accepted it"};
}

/// Adds a hint to the option that would have kept a copy, for errors about logs that only the executor has.
core::error without_copy(core::error why, const core::log_row& run) {
  if (run.handle_code != 0 && (why.code == core::errc::unavailable || why.code == core::errc::timeout))
    why.context += "; the database has no copy of the log; set keep_logs = true for the job to keep copies";
  return why;
}

/// A run, and its log if the database has a copy.
using stored_log = std::pair<core::log_row, std::optional<core::kept_log>>;

core::result<stored_log> stored_log_of(storage::store& store, core::log_id run, const core::principal& by) {
  auto row = store.run_reading().read(run, core::group_right::viewer, by);
  if (!row)
    return tl::unexpected{std::move(row.error())};
  if (row->handle_code == 0)
    return stored_log{std::move(*row), std::nullopt};
  auto kept = store.kept_logs().read(run, row->job);
  if (!kept)
    return tl::unexpected{std::move(kept.error())};
  return stored_log{std::move(*row), std::move(*kept)};
}

/// Returns a kept log as a file.
protocol::run_file file_of_kept(core::log_id run, core::kept_log&& kept) {
  return file_of_text(run, std::move(kept.text), !kept.cut, kept.cut ? only_beginning : "");
}

/// A run, and the matches in its log if the database has a copy of it, or of its beginning.
struct searched_log {
  core::log_row run;
  std::optional<protocol::log_matches> matches = {};
  bool cut = false;
};

core::result<searched_log> searched_log_of(storage::store& store, const protocol::run_search_query& query) {
  auto found = stored_log_of(store, query.run, query.by);
  if (!found)
    return tl::unexpected{std::move(found.error())};
  auto& [run, kept] = *found;
  if (!kept)
    return searched_log{std::move(run)};
  const auto lines = core::count_lines(kept->text);
  const auto from = core::piece_of(kept->text, 1, query.search.from_line, {.lines = 1}).content;
  std::string_view rest;
  if (!from.empty())
    rest = std::string_view{kept->text}.substr(static_cast<std::size_t>(from.data() - kept->text.data()));
  core::line_search search{query.search};
  const auto next = search.search(rest, query.search.from_line);
  protocol::log_matches out{std::move(search.matches()), next - 1, {}, kept->cut ? only_beginning : ""};
  if (next <= lines)
    out.next_line = next;
  return searched_log{std::move(run), std::move(out), kept->cut};
}

/// Returns the piece of a kept log that the reader asked for.
core::run_log part_of(core::log_row&& run, const core::kept_log& kept, std::int32_t from_line,
                      const core::piece_limits& limits) {
  const auto piece = core::piece_of(kept.text, 1, from_line, limits);
  core::run_log part{std::move(run), piece.from_line, piece.to_line, std::string{piece.content}, !piece.more, true};
  part.more = piece.more;
  part.cut = piece.cut;
  part.bytes = static_cast<std::int64_t>(kept.text.size());
  part.lines = core::count_lines(kept.text);
  if (kept.cut)
    part.partial_reason = only_beginning;
  return part;
}

/// Returns the piece of an executor's answer, from line `first` on, that the reader asked for. The row was read before the log:
/// if the run had a result by then, the log is complete.
core::run_log part_of(core::log_row&& run, std::int32_t first, protocol::log_reply&& reply,
                      const core::piece_limits& limits) {
  // Some executors report the end of a log at each momentary end of file, and Java does so for a run that waits in its queue.
  const bool end = run.handle_code > 0 && (reply.end || first > reply.to_line);
  core::run_log part{std::move(run), first, reply.to_line, {}, end, false};
  // Text without a line number is a message of the executor: there is no log.
  const bool has_lines = reply.to_line >= first;
  if (end && has_lines) {
    part.lines = reply.to_line;
    if (first == 1)
      part.bytes = static_cast<std::int64_t>(reply.content.size());
  }
  const auto piece = core::piece_of(reply.content, first, first, limits);
  if (!has_lines || (!limits.tail && !piece.more && !piece.cut)) {
    part.content = std::move(reply.content);
    return part;
  }
  part.from_line = piece.from_line;
  part.to_line = piece.to_line;
  part.content = piece.content;
  part.more = piece.more;
  part.cut = piece.cut;
  part.end = end && !piece.more;
  return part;
}

} // namespace

caf::result<core::run_log> run_admin_state::read_log(const protocol::run_log_query& query) {
  if (query.merged)
    return read_merged(query);
  auto promise = self_->make_response_promise<core::run_log>();
  ask_store<stored_log>(
    self_, stores_.reads, [query](storage::store& store) { return stored_log_of(store, query.run, query.by); },
    [this, promise, from_line = query.limits.tail ? 1 : std::max(query.from_line, 1),
     limits = query.limits](core::result<stored_log>&& found) mutable {
      if (!found)
        return promise.deliver(protocol::to_caf(found.error()));
      auto& [run, kept] = *found;
      if (!was_triggered(run))
        return promise.deliver(protocol::to_caf(has_no_log(run.id)));
      // The executor may still have the rest of a log whose copy was cut.
      if (!kept || kept->cut)
        return ask_log({promise, std::move(run), from_line, limits, std::move(kept)});
      promise.deliver(part_of(std::move(run), *kept, from_line, limits));
    });
  return promise;
}

void run_admin_state::log_question::fail(const core::error& why) {
  if (cut)
    promise.deliver(part_of(std::move(run), *cut, from_line, limits));
  else
    promise.deliver(protocol::to_caf(without_copy(why, run)));
}

void run_admin_state::ask_log(log_question&& question) {
  auto asked = std::make_shared<log_question>(std::move(question));
  asked->until = self_->clock().now() + limit_;
  if (spool_ && answers_in_pieces(asked->run.executor_address))
    ask_piece(std::move(asked));
  else if (spool_)
    ask_spool(std::move(asked));
  else
    ask_directly(std::move(asked));
}

std::chrono::milliseconds run_admin_state::left_for(const log_question& asked) const {
  using std::chrono::milliseconds;
  return std::max(milliseconds{1}, std::chrono::duration_cast<milliseconds>(asked.until - self_->clock().now()));
}

void run_admin_state::ask_spool(std::shared_ptr<log_question> asked) {
  const auto left = left_for(*asked);
  const auto wait = std::max(left - spool_margin, left / 2);
  protocol::request(self_, spool_, left,
                    protocol::spool_read{asked->run, asked->from_line, asked->limits, wait, !asked->is_for_spool})
    .then(
      [asked](core::run_log& part) {
        if (asked->cut && is_message(part, asked->from_line))
          return asked->fail(no_answer_of(asked->run, part.content));
        asked->promise.deliver(std::move(part));
      },
      [this, asked](const caf::error& reason) {
        const auto why = protocol::to_core(reason);
        // Without a place for a copy the log is read as far as an answer may be long.
        if (why.subject == "spool")
          return ask_directly(asked);
        if (why.subject == "pieces") {
          piecewise_.use(asked->run.executor_address, false) = true;
          return ask_piece(asked);
        }
        asked->fail(why);
      });
}

void run_admin_state::ask_directly(std::shared_ptr<log_question> asked) {
  link_of(asked->run, [this, asked](core::result<protocol::executor_link>&& link) {
    if (!link)
      return asked->fail(link.error());
    const auto& run = asked->run;
    protocol::request(self_, *link, left_for(*asked),
                      protocol::log_request{run.id, run.trigger_time, asked->from_line, run.group})
      .then(
        [asked](protocol::log_reply& reply) {
          if (!reply.answered || (asked->cut && is_message(reply, asked->from_line)))
            return asked->fail(no_answer_of(asked->run, reply.error));
          asked->promise.deliver(part_of(std::move(asked->run), asked->from_line, std::move(reply), asked->limits));
        },
        [asked](const caf::error&) { asked->fail(no_answer_of(asked->run, "request timed out", core::errc::timeout)); });
  });
}

// -- the log as a file -----------------------------------------------------------------------------------------------------

caf::result<protocol::run_file> run_admin_state::open_log(const protocol::run_file_query& query) {
  if (query.merged)
    return open_merged(query);
  auto promise = self_->make_response_promise<protocol::run_file>();
  ask_store<stored_log>(
    self_, stores_.reads, [query](storage::store& store) { return stored_log_of(store, query.run, query.by); },
    [this, promise](core::result<stored_log>&& found) mutable {
      if (!found)
        return promise.deliver(protocol::to_caf(found.error()));
      auto& [run, kept] = *found;
      if (!was_triggered(run))
        return promise.deliver(protocol::to_caf(has_no_log(run.id)));
      if (kept && (!kept->cut || !spool_))
        return promise.deliver(file_of_kept(run.id, std::move(*kept)));
      if (!spool_)
        return promise.deliver(protocol::to_caf(no_copies()));
      protocol::request(self_, spool_, file_patience + spool_margin, protocol::spool_open{run, file_patience})
        .then([promise](protocol::run_file& file) mutable { promise.deliver(std::move(file)); },
              [promise, run, kept = std::move(kept)](const caf::error& why) mutable {
                if (kept)
                  promise.deliver(file_of_kept(run.id, std::move(*kept)));
                else
                  promise.deliver(protocol::to_caf(without_copy(protocol::to_core(why), run)));
              });
    });
  return promise;
}

// -- search ----------------------------------------------------------------------------------------------------------------

// A kept log is searched on the thread of its database connection, which may take its time.
caf::result<protocol::log_matches> run_admin_state::search_log(const protocol::run_search_query& query) {
  auto promise = self_->make_response_promise<protocol::log_matches>();
  ask_store<searched_log>(
    self_, stores_.reads, [query](storage::store& store) { return searched_log_of(store, query); },
    [this, promise, search = query.search](core::result<searched_log>&& found) mutable {
      if (!found)
        return promise.deliver(protocol::to_caf(found.error()));
      auto& [run, matches, cut] = *found;
      if (!was_triggered(run))
        return promise.deliver(protocol::to_caf(has_no_log(run.id)));
      if (matches && (!cut || !spool_))
        return promise.deliver(std::move(*matches));
      if (!spool_)
        return promise.deliver(protocol::to_caf(no_copies()));
      const auto from_line = std::max(search.from_line, 1);
      protocol::request(self_, spool_, limit_, protocol::spool_search{run, std::move(search), limit_ - spool_margin})
        .then(
          [promise, from_line, kept = matches](protocol::log_matches& reply) mutable {
            // An executor that no longer has the log has no line to search.
            const bool is_void = reply.scanned_to < from_line && !reply.next_line;
            promise.deliver(kept && is_void ? std::move(*kept) : std::move(reply));
          },
          [promise, run, kept = matches](const caf::error& why) mutable {
            if (kept)
              promise.deliver(std::move(*kept));
            else
              promise.deliver(protocol::to_caf(without_copy(protocol::to_core(why), run)));
          });
    });
  return promise;
}

} // namespace ringmaster::actors
