#include "actors/console/log_spool.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "actors/console/run_errors.hpp"
#include "actors/console/spool_source.hpp"
#include "actors/store/store_access.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

namespace {

/// Added to the time of a streamed answer: the link's own limits end first.
constexpr std::chrono::seconds stream_margin{10};
/// Most bytes of an answer of an executor that knows bounds: as many as it sends at all.
constexpr std::int32_t answer_bytes = 1024 * 1024;

core::error no_spool(std::string why) { return {core::errc::unavailable, std::move(why), core::refusal::none, "spool"}; }

} // namespace

log_spool_state::log_spool_state(protocol::log_spool::pointer self, protocol::trigger_pool pool, std::chrono::milliseconds limit,
                                 spool_settings settings, protocol::wall_clock clock, logger log)
  : self_{self},
    pool_{std::move(pool)},
    limit_{limit},
    settings_{std::move(settings)},
    clock_{std::move(clock)},
    log_{std::move(log)} {
  prepare_folder();
}

protocol::log_spool::behavior_type log_spool_state::make_behavior() {
  return {
    [this](protocol::spool_read& asked) { return read(std::move(asked)); },
    [this](const protocol::spool_open& asked) { return open(asked); },
    [this](protocol::spool_search& asked) { return search(std::move(asked)); },
    [this](const protocol::spool_fill& asked) { fill(asked); },
    [this](const protocol::spool_arrival& arrival) { arrived(arrival.answer); },
    [this](protocol::tick_atom) { tick(); },
  };
}

// Copies do not outlive their process; only those of one that was killed are still here.
void log_spool_state::prepare_folder() {
  namespace fs = std::filesystem;
  std::error_code problem;
  fs::create_directories(settings_.folder, problem);
  if (!problem)
    fs::permissions(settings_.folder, fs::perms::owner_all, problem);
  for (fs::directory_iterator at{settings_.folder, problem}, end; !problem && at != end; at.increment(problem)) {
    std::error_code ignored;
    if (at->path().extension() == ".log" && at->symlink_status(ignored).type() == fs::file_type::regular)
      fs::remove(at->path(), ignored);
  }
  if (!problem)
    return;
  unusable_ = settings_.folder + " cannot be used: " + problem.message();
  log_->warn("logs of runs are read without copies: {}", unusable_);
}

// -- readers ---------------------------------------------------------------------------------------------------------------

caf::result<core::run_log> log_spool_state::read(protocol::spool_read&& asked) {
  auto promise = self_->make_response_promise<core::run_log>();
  join(asked.run, {[promise, line = asked.from_line, limits = asked.limits](const entry& of) mutable {
                     deliver(promise, of.log.piece(line, limits));
                   },
                   [promise](const caf::error& why) mutable { promise.deliver(why); }, asked.from_line, asked.limits,
                   now() + asked.wait, asked.refers});
  return promise;
}

caf::result<protocol::run_file> log_spool_state::open(const protocol::spool_open& asked) {
  auto promise = self_->make_response_promise<protocol::run_file>();
  core::piece_limits whole;
  whole.tail = 1;
  const auto until = now() + asked.wait;
  join(asked.run, {[this, promise, until](const entry& of) mutable {
                     deliver(promise, file_of(of.log, of.copy, now() >= until));
                   },
                   [promise](const caf::error& why) mutable { promise.deliver(why); }, 1, whole, until});
  return promise;
}

caf::result<protocol::log_matches> log_spool_state::search(protocol::spool_search&& asked) {
  auto promise = self_->make_response_promise<protocol::log_matches>();
  const auto from_line = asked.search.from_line;
  join(asked.run, {[this, promise, wanted = std::move(asked.search)](const entry& of) mutable {
                     begin_search(of, std::move(wanted), promise);
                   },
                   [promise](const caf::error& why) mutable { promise.deliver(why); }, from_line, {.lines = 1},
                   now() + asked.wait});
  return promise;
}

core::result<protocol::run_file> log_spool_state::file_of(const spooled_log& log, std::uint64_t copy, bool is_late) {
  auto end = log.piece(1, {.lines = 1, .tail = 1});
  if (!end)
    return tl::unexpected{std::move(end.error())};
  // The rest has not arrived in time: the part before it is there to its end.
  if (log.is_answering() && log.settled_bytes() == 0)
    return tl::unexpected{core::error{core::errc::timeout, "the executor is still sending the log; try again in a minute",
                                      core::refusal::none, "log"}};
  if (log.settled_bytes() == 0 && !end->content.empty())
    return tl::unexpected{no_answer_of(log.run(), end->content)};
  if (is_late && !end->end && end->partial_reason.empty())
    end->partial_reason = "the executor has not sent the rest of the log in time";
  const auto id = log.run().id;
  const auto ask = [handle = protocol::log_spool{self_}, id, copy](std::uint64_t offset, std::size_t bytes,
                                                             std::function<void(std::string&&)> give) {
    protocol::anon_send(handle, protocol::spool_fill{id, copy, offset, bytes, std::move(give)});
  };
  return protocol::run_file{
    id, log.settled_bytes(), end->end, end->partial_reason, {},
    [ask](std::uint64_t offset, std::uint64_t bytes) { return std::make_shared<spool_source>(offset, bytes, ask); }};
}

void log_spool_state::fill(const protocol::spool_fill& asked) {
  const auto known = logs_.find(asked.run);
  std::string piece;
  if (known != logs_.end() && known->second.copy == asked.copy) {
    piece = known->second.log.bytes_at(asked.offset, asked.bytes);
    known->second.used = known->second.filled = now();
  }
  asked.give(piece.size() == asked.bytes ? std::move(piece) : std::string{});
}

void log_spool_state::join(const core::log_row& run, reader&& who) {
  auto* of = unusable_.empty() ? entry_of(run) : nullptr;
  if (!of)
    return who.refuse(protocol::to_caf(no_spool(unusable_.empty() ? "too many logs are read at once" : unusable_)));
  of->used = of->awaited = now();
  of->readers.push_back(std::move(who));
  serve(*of, false);
  if (!of->readers.empty() && of->answer == 0)
    ask(*of);
  arm();
}

void log_spool_state::serve(entry& of, bool answer_ended) {
  const auto t = now();
  std::erase_if(of.readers, [&](reader& each) {
    const bool has_part = !each.limits.tail && of.log.has_part(each.from_line);
    const bool may_go = of.log.satisfies(each.from_line, each.limits) || each.until <= t ||
                        (answer_ended && (has_part || !of.log.may_have_more()));
    if (!may_go)
      return false;
    each.answer(of);
    of.awaited = t;
    return true;
  });
}

void log_spool_state::tick() {
  if (now() < armed_)
    return; // superseded by an earlier tick
  armed_ = time_point::max();
  for (auto& [id, of] : logs_)
    serve(of, false);
  end_unread();
  std::erase_if(logs_, [this](const auto& known) {
    return is_idle(known.second) && known.second.used + settings_.idle <= now();
  });
  arm();
}

void log_spool_state::arm() {
  auto next = time_point::max();
  for (const auto& [id, of] : logs_) {
    if (of.readers.empty() && of.answer == 0)
      next = std::min<time_point>(next, std::max<time_point>(of.used + settings_.idle, of.filled + download_pause));
    else if (of.readers.empty() && of.log.wants_more())
      next = std::min<time_point>(next, of.awaited + unread_limit);
    for (const auto& each : of.readers)
      next = std::min(next, each.until);
  }
  if (next >= armed_)
    return;
  armed_ = next;
  protocol::send_at(self_, protocol::log_spool{self_}, next, protocol::tick_atom{});
}

// -- copies ----------------------------------------------------------------------------------------------------------------

log_spool_state::entry* log_spool_state::entry_of(const core::log_row& run) {
  if (const auto known = logs_.find(run.id); known != logs_.end()) {
    const auto& seen = known->second.log.run();
    const bool is_same = seen.executor_address == run.executor_address && seen.trigger_time == run.trigger_time;
    if (is_same || !is_idle(known->second)) {
      if (is_same)
        known->second.log.know(run);
      return is_same ? &known->second : nullptr;
    }
    logs_.erase(known);
  }
  if (logs_.size() >= settings_.logs_max && !drop_oldest())
    return nullptr;
  spooled_log::limits rules{settings_.log_bytes_max, [this](std::size_t bytes) { return make_room(bytes); },
                            [this] { return clock_.at(now()); }};
  return &logs_.emplace(run.id, entry{spooled_log{run, std::move(rules)}, ++copies_}).first->second;
}

bool log_spool_state::is_idle(const entry& of) const {
  return of.readers.empty() && of.answer == 0 && (of.filled == time_point{} || of.filled + download_pause <= now());
}

log_spool_state::entry* log_spool_state::entry_of_answer(std::int64_t answer) {
  for (auto& [id, of] : logs_)
    if (of.answer == answer)
      return &of;
  return nullptr;
}

bool log_spool_state::make_room(std::size_t bytes) {
  for (;;) {
    std::uint64_t used = bytes;
    for (const auto& [id, of] : logs_)
      used += of.log.bytes();
    if (used <= settings_.bytes_max)
      return true;
    if (!drop_oldest())
      return false;
  }
}

bool log_spool_state::drop_oldest() {
  auto oldest = logs_.end();
  for (auto at = logs_.begin(); at != logs_.end(); ++at)
    if (is_idle(at->second) && (oldest == logs_.end() || at->second.used < oldest->second.used))
      oldest = at;
  if (oldest == logs_.end())
    return false;
  logs_.erase(oldest);
  return true;
}

// -- answers of executors --------------------------------------------------------------------------------------------------

bool log_spool_state::has_turn(const std::string& address) const {
  std::size_t all = 0;
  std::size_t same = 0;
  for (const auto& [id, of] : logs_) {
    all += of.answer != 0 ? 1 : 0;
    same += of.answer != 0 && of.log.run().executor_address == address ? 1 : 0;
  }
  return all < answers_max && same < answers_per_executor;
}

void log_spool_state::ask(entry& of) {
  if (of.pause_until > now())
    return serve(of, true);
  const auto id = of.log.run().id;
  if (has_turn(of.log.run().executor_address))
    return begin_answer(of);
  if (std::find(waiting_.begin(), waiting_.end(), id) == waiting_.end())
    waiting_.push_back(id);
}

void log_spool_state::ask_waiting() {
  for (;;) {
    std::erase_if(waiting_, [this](core::log_id id) {
      const auto known = logs_.find(id);
      return known == logs_.end() || known->second.readers.empty() || known->second.answer != 0;
    });
    const auto next = std::find_if(waiting_.begin(), waiting_.end(), [this](core::log_id id) {
      return has_turn(logs_.at(id).log.run().executor_address);
    });
    if (next == waiting_.end())
      return;
    auto& of = logs_.at(*next);
    waiting_.erase(next);
    ask(of);
  }
}

void log_spool_state::end_unread() {
  for (auto& [id, of] : logs_) {
    if (!of.is_unread(now()) || !of.log.wants_more())
      continue;
    drain(of);
    of.log.abandon();
    of.pipe->close();
  }
}

void log_spool_state::begin_answer(entry& of) {
  const auto answer = ++answers_;
  const auto& run = of.log.run();
  const auto path = settings_.folder + '/' + std::to_string(core::number(run.id)) + '-' + std::to_string(answer) + ".log";
  auto from_line = of.log.begin_answer(path);
  if (!from_line) {
    for (const auto& each : std::exchange(of.readers, {}))
      each.refuse(protocol::to_caf(no_spool(from_line.error().context)));
    return;
  }
  of.answer = answer;
  of.pipe = std::make_shared<spool_pipe>([handle = protocol::log_spool{self_}, answer] {
    protocol::anon_send(handle, protocol::spool_arrival{answer});
  });
  if (run.executor_address.empty())
    return fail(answer, {core::errc::invalid_argument,
                         "run " + std::to_string(core::number(run.id)) + " has no executor: no executor was available"});
  protocol::request(self_, pool_, limit_, protocol::link_query{run.executor_address})
    .then([this, answer, line = *from_line](protocol::link_handle& found) { send(answer, found.link, line); },
          [this, answer, address = run.executor_address](const caf::error& reason) {
            auto why = "cannot reach the executor " + address + ": " + protocol::to_core(reason).context;
            fail(answer, {core::errc::unavailable, std::move(why), core::refusal::none, address});
          });
}

void log_spool_state::send(std::int64_t answer, const protocol::executor_link& link, std::int32_t from_line) {
  auto* of = entry_of_answer(answer);
  if (!of)
    return;
  const auto& run = of->log.run();
  protocol::request(self_, link, limit_ + protocol::log_stream_limit + stream_margin,
                    protocol::log_request{run.id, run.trigger_time, from_line, run.group, of->pipe,
                                          core::log_bounds{answer_bytes}})
    .then([this, answer](protocol::log_reply& reply) { answered(answer, std::move(reply)); },
          [this, answer](const caf::error&) {
            if (const auto* silent = entry_of_answer(answer))
              fail(answer, no_answer_of(silent->log.run(), "request timed out", core::errc::timeout));
          });
}

void log_spool_state::arrived(std::int64_t answer) {
  if (answer == 0)
    return go_on_searching();
  auto* of = entry_of_answer(answer);
  if (!of)
    return;
  drain(*of);
  serve(*of, false);
}

void log_spool_state::drain(entry& of) {
  auto next = of.pipe->drain();
  if (next.restarted)
    of.log.restart_answer();
  of.log.take_json(next.bytes);
  if (!of.log.wants_more())
    of.pipe->close();
}

void log_spool_state::answered(std::int64_t answer, protocol::log_reply&& reply) {
  auto* of = entry_of_answer(answer);
  if (!of)
    return;
  drain(*of);
  if (reply.streamed) {
    of->log.end_streamed(reply.status);
  } else if (reply.answered) {
    of->log.take_text(reply.content);
    of->log.end_answer(protocol::wire::log_chunk{reply.from_line, reply.to_line, {}, reply.end, reply.size});
  } else {
    of->log.end_answer(tl::unexpected{no_answer_of(of->log.run(), reply.error)});
  }
  end_answer(*of);
}

void log_spool_state::fail(std::int64_t answer, core::error why) {
  auto* of = entry_of_answer(answer);
  if (!of)
    return;
  drain(*of);
  of->log.end_answer(tl::unexpected{std::move(why)});
  end_answer(*of);
}

void log_spool_state::refer(entry& of) {
  const core::error why{core::errc::unavailable, "the executor answers in pieces itself", core::refusal::none, "pieces"};
  std::erase_if(of.readers, [&](const reader& each) {
    if (each.refers)
      each.refuse(protocol::to_caf(why));
    return each.refers;
  });
}

void log_spool_state::end_answer(entry& of) {
  of.answer = 0;
  std::exchange(of.pipe, nullptr)->close();
  of.used = now();
  if (of.log.was_short_of_room())
    of.pause_until = now() + room_pause;
  if (of.log.states_size())
    refer(of);
  serve(of, true);
  ask_waiting();
  if (!of.readers.empty() && of.answer == 0)
    ask(of);
  arm();
}

} // namespace ringmaster::actors
