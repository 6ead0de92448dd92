#include "actors/executors/link_questions.hpp"

#include <iterator>
#include <utility>

namespace ringmaster::actors {

void deliver_failure(probe_promise& promise, const std::string& why) { promise.deliver(protocol::probe_reply{0, why}); }

void deliver_failure(log_promise& promise, const std::string& why) { promise.deliver(protocol::log_reply{.error = why}); }

std::uint64_t link_questions::add(std::variant<probe_promise, log_promise> promise, protocol::link_topic topic, steady until) {
  asked_.emplace(++last_, question{std::move(promise), topic, until});
  return last_;
}

void link_questions::take(protocol::link_answer&& answer) {
  const auto found = asked_.find(answer.number);
  if (found == asked_.end())
    return;
  auto asked = std::move(asked_.extract(found).mapped());
  if (auto* probe = std::get_if<probe_promise>(&asked.promise)) {
    const bool is_of_run = asked.topic == protocol::link_topic::known;
    probe->deliver(protocol::probe_reply{answer.reply.code, std::move(answer.reply.message), is_of_run});
    return;
  }
  protocol::log_reply reply{.error = std::move(answer.reply.message)};
  if (auto& lines = answer.lines)
    reply = {true, lines->to_line, std::move(lines->text), {}, lines->from_line, lines->ended, false, false, 0, lines->size};
  std::get<log_promise>(asked.promise).deliver(std::move(reply));
}

void link_questions::give_up_late(steady now) {
  for (auto each = asked_.begin(); each != asked_.end();) {
    const bool is_late = each->second.until <= now;
    if (is_late)
      std::visit([](auto& promise) { deliver_failure(promise, "no answer over the native link"); }, each->second.promise);
    each = is_late ? asked_.erase(each) : std::next(each);
  }
}

void link_questions::give_up(const std::string& why) {
  for (auto& [number, question] : std::exchange(asked_, {}))
    std::visit([&](auto& promise) { deliver_failure(promise, why); }, question.promise);
}

} // namespace ringmaster::actors
