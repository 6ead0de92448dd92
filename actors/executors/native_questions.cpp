// native_link: questions to the executor (beat, idle, kill, log).

#include <utility>

#include "actors/executors/native_link.hpp"

namespace ringmaster::actors {

namespace {

/// Delivers the reason in place of an answer.
void deliver_failure(caf::typed_response_promise<protocol::probe_reply>& promise, const std::string& why) {
  promise.deliver(protocol::probe_reply{0, why});
}
void deliver_failure(caf::typed_response_promise<protocol::log_reply>& promise, const std::string& why) {
  promise.deliver(protocol::log_reply{.error = why});
}

} // namespace

caf::result<protocol::probe_reply> native_link_state::probe(const protocol::probe_request& request) {
  auto topic = request.idle_beat ? protocol::link_topic::idle : protocol::link_topic::beat;
  if (core::number(request.run) > 0)
    topic = protocol::link_topic::known;
  return ask<protocol::probe_reply>(
    request, {.topic = topic, .job = request.job, .run = request.run, .log_time = core::cut_to_second(request.fire_at)});
}

caf::result<protocol::probe_reply> native_link_state::kill(const protocol::kill_request& request) {
  return ask<protocol::probe_reply>(request, {.topic = protocol::link_topic::kill, .job = request.job, .run = request.run});
}

caf::result<protocol::log_reply> native_link_state::read_log(const protocol::log_request& request) {
  return ask<protocol::log_reply>(request, {.topic = protocol::link_topic::log,
                                            .run = request.run,
                                            .log_time = core::cut_to_second(request.fire_at),
                                            .from_line = request.from_line});
}

bool native_link_state::may_answer(core::group_id group, protocol::link_topic topic) const {
  return topic == protocol::link_topic::beat || peer_.admitted.serves(group);
}

template <class Reply, class Request>
caf::result<Reply> native_link_state::ask(const Request& request, protocol::link_question&& question) {
  auto promise = self_->make_response_promise<Reply>();
  // No proof exists that runs of another group were ever at this executor.
  const bool may = may_answer(request.group, question.topic);
  if (up_ && !may && protocol::is_native_only(peer_.address)) {
    deliver_failure(promise, "the executor is connected with the token of another group");
  } else if (!up_ || !may) {
    ask_elsewhere(request, promise);
  } else if (questions_.size() >= link_windows::questions) {
    deliver_failure(promise, "too many questions wait for an answer over the native link");
  } else {
    question.number = ++last_question_;
    questions_.emplace(question.number, asked_question{promise, now() + tools_.settings.request_timeout, question.topic});
    tell_peer(std::move(question));
    arm();
  }
  return promise;
}

// Asks the pool each time: the executor may have connected again.
template <class Reply, class Request>
void native_link_state::ask_elsewhere(const Request& request, caf::typed_response_promise<Reply> promise) {
  protocol::request(self_, tools_.pool, tools_.settings.request_timeout,
                    protocol::link_query{peer_.address, protocol::native_link{self_}})
    .then([request, promise](const protocol::link_handle& found) mutable { promise.delegate(found.link, request); },
          [promise](const caf::error&) mutable { deliver_failure(promise, "cannot reach the executor"); });
}

void native_link_state::take(protocol::link_answer&& answer) {
  if (breaks(protocol::breach_of(answer)))
    return;
  const auto found = questions_.find(answer.number);
  if (found == questions_.end())
    return;
  auto asked = std::move(questions_.extract(found).mapped());
  if (auto* probe = std::get_if<probe_promise>(&asked.promise)) {
    probe->deliver(protocol::probe_reply{answer.reply.code, std::move(answer.reply.message),
                                          asked.topic == protocol::link_topic::known});
    return;
  }
  protocol::log_reply reply{.error = std::move(answer.reply.message)};
  if (answer.lines)
    reply = {true, answer.lines->to_line, std::move(answer.lines->text), {}, answer.lines->from_line, answer.lines->ended};
  std::get<log_promise>(asked.promise).deliver(std::move(reply));
}

void native_link_state::sweep_questions() {
  for (auto each = questions_.begin(); each != questions_.end();) {
    auto& [number, question] = *each;
    const bool is_late = question.until <= now();
    if (is_late)
      give_up(question, "no answer over the native link");
    each = is_late ? questions_.erase(each) : std::next(each);
  }
}

void native_link_state::give_up_questions(const std::string& why) {
  for (auto& [number, question] : std::exchange(questions_, {}))
    give_up(question, why);
}

void native_link_state::give_up(asked_question& question, const std::string& why) {
  std::visit([&](auto& promise) { deliver_failure(promise, why); }, question.promise);
}

} // namespace ringmaster::actors
