#include "actors/admin/executor_inquiry.hpp"

#include <memory>
#include <utility>

namespace ringmaster::actors {

namespace {

/// One inquiry on its way from question to question.
struct inquiry {
  protocol::recovery_actor::pointer self;
  executor_question question;
  std::chrono::milliseconds limit;
  std::function<void(executor_answer&&)> then;
  executor_answer answer;
};
using inquiry_ptr = std::shared_ptr<inquiry>;

void finish(const inquiry_ptr& asked) { std::exchange(asked->then, nullptr)(std::move(asked->answer)); }

void ask_log(const inquiry_ptr& asked, std::int32_t idle_code) {
  protocol::log_request question{asked->question.run, asked->question.fire_at};
  protocol::request(asked->self, asked->answer.link, asked->limit, question)
    .then(
      [asked, idle_code](const protocol::log_reply& log) {
        asked->answer.verdict = core::judge({idle_code, log.answered, log.content, log.to_line});
        finish(asked);
      },
      [asked](const caf::error&) { finish(asked); });
}

void ask_idle(const inquiry_ptr& asked) {
  protocol::request(asked->self, asked->answer.link, asked->limit, protocol::probe_request{asked->question.job, true})
    .then(
      [asked](const protocol::probe_reply& probe) {
        // Whoever does not answer at all would only let the second question wait, too.
        asked->answer.reached = probe.code != 0;
        if (asked->answer.reached)
          ask_log(asked, probe.code);
        else
          finish(asked);
      },
      [asked](const caf::error&) { finish(asked); });
}

} // namespace

void ask_executor(protocol::recovery_actor::pointer self, const protocol::trigger_pool& pool, executor_question question,
                  std::chrono::milliseconds limit, std::function<void(executor_answer&&)> then) {
  auto address = question.address;
  auto asked = std::make_shared<inquiry>(inquiry{self, std::move(question), limit, std::move(then), {}});
  protocol::request(self, pool, limit, protocol::link_query{std::move(address)})
    .then(
      [asked](protocol::link_handle& found) {
        asked->answer.link = std::move(found.link);
        ask_idle(asked);
      },
      [asked](const caf::error&) { finish(asked); });
}

} // namespace ringmaster::actors
