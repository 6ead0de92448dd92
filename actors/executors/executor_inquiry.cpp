#include "actors/executors/executor_inquiry.hpp"

#include <memory>
#include <utility>

#include "core/run/execution_state.hpp"
#include "core/run/trigger_request.hpp"

namespace ringmaster::actors {

namespace {

/// A failure after a longer time counts as a time limit, not as a broken connection.
constexpr std::chrono::seconds broken_within{1};

/// One inquiry on its way from question to question.
struct inquiry {
  protocol::recovery_actor::pointer self;
  executor_question question;
  std::chrono::milliseconds limit;
  std::function<void(executor_answer&&)> then;
  executor_answer answer;
  /// Time of the present question.
  caf::actor_clock::time_point asked_at{};
  bool may_repeat = true;
  /// A single process answers at this address.
  bool is_one_process = false;
};
using inquiry_ptr = std::shared_ptr<inquiry>;

void finish(const inquiry_ptr& asked) { std::exchange(asked->then, nullptr)(std::move(asked->answer)); }

/// Ends the inquiry without an answer; `path`: the question that failed.
void fail(const inquiry_ptr& asked, const char* path, const std::string& error) {
  asked->answer.timed_out = asked->self->clock().now() - asked->asked_at >= broken_within;
  asked->answer.reason = std::string{"no usable answer to "} + path + (error.empty() ? "" : ": " + error);
  finish(asked);
}

bool repeats(const inquiry_ptr& asked) {
  return asked->self->clock().now() - asked->asked_at < broken_within && std::exchange(asked->may_repeat, false);
}

std::string in_words(const protocol::probe_reply& probe) {
  return "/idleBeat answered " + std::to_string(probe.code) + (probe.message.empty() ? "" : " (" + probe.message + ")");
}

std::string reason_of(core::unknown_verdict verdict, const core::executor_evidence& evidence,
                      const protocol::probe_reply& probe) {
  switch (verdict) {
  case core::unknown_verdict::known:
  case core::unknown_verdict::not_received: return {};
  case core::unknown_verdict::busy: return "the executor is busy and may have queued the run";
  case core::unknown_verdict::cannot_tell: break;
  }
  auto alone = evidence;
  alone.is_one_process = true;
  if (core::judge(alone) == core::unknown_verdict::not_received)
    return "the executor denies it, but did not register this address: another process at the address may have the run";
  const auto* said = evidence.log_content.empty() ? ", /log is empty" : ", /log does not mention the run";
  return "the executor cannot tell: " + in_words(probe) + said;
}

void ask_log(const inquiry_ptr& asked, const protocol::probe_reply& probe) {
  asked->asked_at = asked->self->clock().now();
  protocol::log_request question{asked->question.run, asked->question.fire_at, 1, asked->question.group};
  protocol::request(asked->self, asked->answer.link, asked->limit, question)
    .then(
      [asked, probe](const protocol::log_reply& log) {
        if (!log.answered && repeats(asked))
          return ask_log(asked, probe);
        if (!log.answered)
          return fail(asked, "/log", log.error);
        const auto& of = asked->question;
        const core::executor_evidence evidence{probe.code, true,       log.content, log.to_line, asked->is_one_process,
                                               of.job,     of.fire_at, of.now};
        asked->answer.verdict = core::judge(evidence);
        asked->answer.reason = reason_of(asked->answer.verdict, evidence, probe);
        finish(asked);
      },
      [asked](const caf::error&) { fail(asked, "/log", {}); });
}

/// Takes the answer of a Ringmaster executor over its native link. Such an executor remembers the runs that it has accepted, so
/// no conclusion is needed.
void take_word(const inquiry_ptr& asked, const protocol::probe_reply& said) {
  asked->answer.verdict = said.code == core::success_code     ? core::unknown_verdict::known
                          : said.code == core::run_never_came ? core::unknown_verdict::not_received
                                                              : core::unknown_verdict::cannot_tell;
  asked->answer.certain = asked->answer.verdict != core::unknown_verdict::cannot_tell;
  if (!asked->answer.certain)
    asked->answer.reason = "the executor cannot tell: " + said.message;
  finish(asked);
}

void ask_idle(const inquiry_ptr& asked) {
  asked->asked_at = asked->self->clock().now();
  const auto& of = asked->question;
  const protocol::probe_request question{of.job, true, of.group, of.run, of.fire_at};
  protocol::request(asked->self, asked->answer.link, asked->limit, question)
    .then(
      [asked](const protocol::probe_reply& probe) {
        // An executor that does not answer at all would only let the second question wait, too.
        asked->answer.reached = probe.code != 0 || probe.of_run;
        if (!asked->answer.reached && repeats(asked))
          return ask_idle(asked);
        if (!asked->answer.reached)
          return fail(asked, "/idleBeat", probe.message);
        if (probe.of_run)
          return take_word(asked, probe);
        asked->may_repeat = true;
        ask_log(asked, probe);
      },
      [asked](const caf::error&) { fail(asked, "/idleBeat", {}); });
}

} // namespace

void ask_executor(protocol::recovery_actor::pointer self, const protocol::trigger_pool& pool, executor_question question,
                  std::chrono::milliseconds limit, std::function<void(executor_answer&&)> then) {
  auto address = question.address;
  auto asked = std::make_shared<inquiry>(inquiry{self, std::move(question), limit, std::move(then), {}, self->clock().now()});
  protocol::request(self, pool, limit, protocol::link_query{std::move(address)})
    .then(
      [asked](protocol::link_handle& found) {
        asked->answer.link = std::move(found.link);
        asked->is_one_process = found.is_one_process;
        ask_idle(asked);
      },
      [asked](const caf::error&) {
        asked->answer.reason = "cannot reach its executor";
        finish(asked);
      });
}

} // namespace ringmaster::actors
