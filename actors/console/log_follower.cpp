#include "actors/console/log_follower.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "actors/metrics.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

std::int32_t log_follower_state::reader::next_line() const noexcept {
  return std::max(seen.from_line, seen.to_line < INT32_MAX ? seen.to_line + 1 : seen.to_line);
}

log_follower_state::log_follower_state(protocol::log_follower::pointer self, protocol::run_admin runs,
                                       std::chrono::milliseconds limit)
  : self_{self},
    runs_{std::move(runs)},
    limit_{limit},
    shown_{self->system().metrics().gauge_singleton("ringmaster", "log-readers-waiting",
                                                    "Log readers whose requests are held until the log grows.")} {}

protocol::log_follower::behavior_type log_follower_state::make_behavior() {
  return {
    [this](protocol::follow_log& asked) { return follow(std::move(asked)); },
    [this](protocol::stop_request) { stop(); },
    [this](protocol::tick_atom) { tick(); },
  };
}

// -- arriving and leaving readers ------------------------------------------------------------------------------------------

caf::result<core::run_log> log_follower_state::follow(protocol::follow_log&& asked) {
  auto promise = self_->make_response_promise<core::run_log>();
  auto who = std::make_shared<reader>(reader{promise, std::move(asked), now()});
  who->until += who->asked.wait;
  protocol::request(self_, runs_, limit_, who->asked.query)
    .then([this, who](core::run_log& log) { first(std::move(*who), std::move(log)); },
          [promise](const caf::error& why) mutable { promise.deliver(why); });
  return promise;
}

void log_follower_state::first(reader&& who, core::run_log&& log) {
  // Text without a line number means that there is no log yet.
  const bool has_lines = !log.content.empty() && log.to_line >= log.from_line;
  const bool is_news = log.end || (has_lines && !who.asked.is_known(log));
  if (is_news || stopping_ || now() >= who.until)
    return who.promise.deliver(std::move(log));
  const auto is_full = [&] { return waiting_ >= waiting_max || kept_bytes_ + log.content.size() > kept_bytes_max; };
  if (is_full())
    forget_gone();
  if (is_full())
    return who.promise.deliver(std::move(log));
  auto& followed = followed_[log.run.id];
  if (followed.readers.empty() && !followed.polling)
    followed.next_poll = now() + poll_every;
  kept_bytes_ += log.content.size();
  who.seen = std::move(log);
  followed.readers.push_back(std::move(who));
  shown_->value(static_cast<std::int64_t>(++waiting_));
  arm();
}

template <class Ready>
std::vector<log_follower_state::reader> log_follower_state::take(followed_run& from, Ready ready) {
  const auto taken =
    std::stable_partition(from.readers.begin(), from.readers.end(), [&](const reader& each) { return !ready(each); });
  std::vector<reader> readers{std::move_iterator{taken}, std::move_iterator{from.readers.end()}};
  from.readers.erase(taken, from.readers.end());
  waiting_ -= readers.size();
  for (const auto& each : readers)
    kept_bytes_ -= each.seen.content.size();
  shown_->value(static_cast<std::int64_t>(waiting_));
  return readers;
}

void log_follower_state::forget_gone() {
  for (auto& [id, followed] : followed_)
    for (auto& gone : take(followed, [](const reader& each) { return !each.asked.is_awaited(); }))
      gone.promise.deliver(std::move(gone.seen)); // the client has gone, but a promise must be answered
}

void log_follower_state::stop() {
  stopping_ = true;
  for (auto& [id, followed] : followed_)
    for (auto& each : take(followed, [](const reader&) { return true; }))
      each.promise.deliver(std::move(each.seen));
  followed_.clear();
}

// -- time ------------------------------------------------------------------------------------------------------------------

void log_follower_state::tick() {
  if (now() < armed_)
    return; // superseded by an earlier tick
  armed_ = time_point::max();
  forget_gone();
  for (auto at = followed_.begin(); at != followed_.end();) {
    auto& [id, followed] = *at;
    for (auto& late : take(followed, [t = now()](const reader& each) { return each.until <= t; }))
      late.promise.deliver(std::move(late.seen));
    if (!followed.readers.empty() && !followed.polling && followed.next_poll <= now())
      poll(id, followed);
    // A run is remembered while its poll is under way, so that a reader who arrives meanwhile waits for the next poll.
    at = followed.readers.empty() && !followed.polling ? followed_.erase(at) : std::next(at);
  }
  arm();
}

void log_follower_state::arm() {
  auto next = time_point::max();
  for (const auto& [id, followed] : followed_) {
    for (const auto& each : followed.readers)
      next = std::min(next, each.until);
    if (!followed.polling && !followed.readers.empty())
      next = std::min(next, followed.next_poll);
  }
  if (next >= armed_)
    return;
  armed_ = next;
  protocol::send_at(self_, protocol::log_follower{self_}, next, protocol::tick_atom{});
}

// -- polls -----------------------------------------------------------------------------------------------------------------

void log_follower_state::poll(core::log_id run, followed_run& followed) {
  const auto earliest = std::min_element(followed.readers.begin(), followed.readers.end(), [](const auto& a, const auto& b) {
    return a.next_line() < b.next_line();
  });
  followed.polling = true;
  followed.next_poll = now() + poll_every;
  const auto& by = earliest->asked.query.by;
  protocol::request(self_, runs_, limit_, protocol::run_log_query{run, earliest->next_line(), by})
    .then([this, run](core::run_log& log) { polled(run, std::move(log)); },
          [this, run, by](const caf::error& why) { poll_failed(run, by, why); });
}

void log_follower_state::polled(core::log_id run, core::run_log&& log) {
  const auto found = followed_.find(run);
  if (found == followed_.end())
    return;
  found->second.polling = false;
  auto served = take(found->second, [&](const reader& each) { return log.end || log.to_line >= each.next_line(); });
  std::map<std::pair<std::int32_t, core::user_id>, std::vector<reader>> others;
  for (auto& each : served) {
    if (each.from_line() == log.from_line)
      each.promise.deliver(log);
    else
      others[{each.from_line(), each.asked.query.by.user}].push_back(std::move(each));
  }
  for (auto& [whose, readers] : others)
    read_again(std::move(readers), log.end);
  if (found->second.readers.empty())
    followed_.erase(found);
  arm();
}

void log_follower_state::poll_failed(core::log_id run, const core::principal& by, const caf::error& why) {
  const auto found = followed_.find(run);
  if (found == followed_.end())
    return;
  found->second.polling = false;
  // A permission that one user lost does not affect the other readers.
  const bool his_alone = protocol::to_core(why).code == core::errc::forbidden;
  const auto concerned = [&](const reader& each) { return !his_alone || each.asked.query.by.user == by.user; };
  for (auto& each : take(found->second, concerned))
    each.promise.deliver(why);
  if (found->second.readers.empty())
    followed_.erase(found);
  arm();
}

void log_follower_state::read_again(std::vector<reader>&& readers, bool end) {
  auto query = readers.front().asked.query;
  auto waiting = std::make_shared<std::vector<reader>>(std::move(readers));
  protocol::request(self_, runs_, limit_, std::move(query))
    .then(
      [waiting, end](core::run_log& log) {
        log.end = !log.more && (log.end || end);
        for (auto& each : *waiting)
          each.promise.deliver(log);
      },
      [waiting](const caf::error& why) {
        for (auto& each : *waiting)
          each.promise.deliver(why);
      });
}

} // namespace ringmaster::actors
