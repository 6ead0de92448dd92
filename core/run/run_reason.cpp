#include "core/run/run_reason.hpp"

#include <array>

#include "core/run/execution_state.hpp"
#include "core/run/trigger_text.hpp"
#include "core/text/plain_text.hpp"
#include "core/text/result_text.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

/// Result code of a run that exceeded its time limit.
constexpr std::int32_t timed_out_code = 502;

struct known_end {
  std::string_view reported;
  end_cause cause;
};

constexpr std::array known_ends{
  known_end{"scheduling center kill job.", end_cause::user},
  known_end{"block strategy effect：Cover Early", end_cause::later_run},
  known_end{"change jobhandler or glue type, and terminate the old job thread.", end_cause::handler_changed},
  known_end{"change job source or glue type, and terminate the old job thread.", end_cause::source_changed},
  known_end{"web container destroy and kill the job.", end_cause::executor_stopped},
};
constexpr std::string_view ended_running = "[job running, killed]";
constexpr std::string_view ended_waiting = "[job not executed, in the job queue, killed.]";

bool has_words(std::string_view text, std::string_view part) noexcept { return text.find(part) != std::string_view::npos; }

template <std::size_t Size>
bool has_any(std::string_view text, const std::array<std::string_view, Size>& parts) noexcept {
  for (const auto part : parts)
    if (has_words(text, part))
      return true;
  return false;
}

constexpr std::array<std::string_view, 3> token_words{"The access token is wrong.", "invalid request, accessToken",
                                                      "Access token incorrect."};
constexpr std::array<std::string_view, 2> no_answer_words{"no reply within ", "no answer over the native link within "};
constexpr std::array<std::string_view, 3> parameter_words{"] is not valid.", "request error:",
                                                          "source and parameter are too large"};
/// Texts of Java admins about a request that failed.
constexpr std::array<std::string_view, 2> java_request_words{"remoting error(", "Http Request Error ("};
constexpr std::array<std::string_view, 4> connect_timeout_words{"no connection within ", "onnect timed out",
                                                                "Connection timed out", "no native link from "};

/// Returns the name in `job handler [NAME] not found.`; empty if the words have none.
std::string_view missing_handler(std::string_view words) noexcept {
  const auto begin = words.find('[');
  const auto end = words.find(']', begin == std::string_view::npos ? 0 : begin);
  return begin == std::string_view::npos || end == std::string_view::npos ? std::string_view{}
                                                                          : words.substr(begin + 1, end - begin - 1);
}

/// Returns the reason in the words with which an executor refused a run; `otherwise` for any other words.
run_reason reason_in_refusal(std::string_view words, failure_reason otherwise) {
  run_reason out{otherwise, std::string{words}};
  if (has_words(words, "block strategy effect：Discard Later"))
    out.code = failure_reason::blocked_discarded;
  else if (has_words(words, "handler ") && words.ends_with("not found.")) {
    out.code = failure_reason::handler_not_found;
    out.handler = missing_handler(words);
  } else if (has_any(words, token_words))
    out.code = failure_reason::bad_token;
  else if (has_any(words, parameter_words))
    out.code = failure_reason::bad_parameter;
  return out;
}

/// Returns the reason for a run that did not leave the node.
run_reason reason_not_sent(std::string_view words) {
  run_reason out{failure_reason::not_sent, std::string{words}};
  if (says_no_address(words))
    return {failure_reason::no_executor};
  if (has_words(words, " answered "))
    out.code = failure_reason::no_executor;
  else if (words.starts_with("missed: "))
    out.code = failure_reason::missed;
  else if (words.starts_with("abandoned: "))
    out.code = failure_reason::node_died;
  else if (has_words(words, "onnection refused"))
    out.code = failure_reason::connection_refused;
  else if (has_any(words, connect_timeout_words))
    out.code = failure_reason::connect_timeout;
  else if (has_any(words, parameter_words))
    out.code = failure_reason::bad_parameter;
  return out;
}

run_reason reason_unknown_delivery(std::string_view words) {
  return {has_any(words, no_answer_words) ? failure_reason::no_answer : failure_reason::delivery_unknown, std::string{words}};
}

/// Returns the text after the last `label`; unset without one.
std::optional<std::string_view> after_last(std::string_view text, std::string_view label) noexcept {
  const auto at = text.rfind(label);
  return at == std::string_view::npos ? std::nullopt : std::optional{trimmed(text.substr(at + label.size()))};
}

/// Returns the answer in the text of a Java admin without HTML: after `msg：` up to 3.2, after the label of the remark since.
std::string_view java_answer(std::string_view text) noexcept {
  constexpr std::string_view heading = "\n\n >>>>>>>>>>>", colon = "：", error = "error, ";
  // The second heading is that of a retry.
  const auto first = text.find(heading);
  if (const auto second = text.rfind(heading); second != first)
    text = text.substr(0, second);
  if (const auto words = after_last(text, "msg："))
    return *words;
  for (const auto written : {language::zh_cn, language::zh_tc, language::en})
    if (auto words = after_last(text, remark_label(written))) {
      words->remove_prefix(words->starts_with(colon) ? colon.size() : 0);
      words->remove_prefix(words->starts_with(error) ? error.size() : 0);
      return *words;
    }
  return trimmed(text);
}

/// Returns the reason in a text of the Java format, which this server writes, too, alongside Java admins.
run_reason reason_of_java(std::string_view text) {
  if (says_no_address(text) || has_words(text, "address route fail"))
    return {failure_reason::no_executor};
  const auto words = java_answer(text);
  if (words.starts_with(unknown_delivery))
    return reason_unknown_delivery(words.substr(unknown_delivery.size()));
  auto out = reason_not_sent(words);
  if (out.code != failure_reason::not_sent)
    return out;
  if (!has_any(words, java_request_words))
    return reason_in_refusal(without_refusal_mark(words), failure_reason::not_sent);
  if (has_words(words, "ead timed out") || has_words(words, "request timed out"))
    out.code = failure_reason::no_answer;
  return out;
}

run_reason reason_of_trigger(const noted_run& run) {
  const auto words = trigger_words(run);
  if (!run.note)
    return reason_of_java(words);
  if (run.note->refused)
    return reason_in_refusal(words, failure_reason::refused);
  if (words.starts_with(unknown_delivery))
    return reason_unknown_delivery(std::string_view{words}.substr(unknown_delivery.size()));
  return reason_not_sent(words);
}

/// Parses the number of `script exit value(3) is failed` and `the program ended with exit code 3`.
std::optional<std::int64_t> exit_code_in(std::string_view words) noexcept {
  constexpr std::string_view script = "script exit value(", program = "the program ended with exit code ";
  if (words.starts_with(script)) {
    const auto rest = words.substr(script.size());
    return parse_int32(rest.substr(0, rest.find(')')));
  }
  return words.starts_with(program) ? parse_int32(words.substr(program.size())) : std::nullopt;
}

run_reason reason_of_result(const noted_run& run) {
  const auto words = result_words(run.row);
  run_reason out{failure_reason::failed, words};
  if (run.row.handle_code == timed_out_code) {
    out.code = failure_reason::timed_out;
    if (run.note && run.note->timeout_s > 0)
      out.timeout_s = run.note->timeout_s;
  } else if (const auto end = read_end(words)) {
    out.code = end->cause == end_cause::later_run ? failure_reason::replaced_by_later : failure_reason::killed;
    out.text = std::string{end->words};
    out.end = reported_end{end->cause, end->before_start};
  } else if (words == lost_result(language::en)) {
    out.code = failure_reason::lost;
    out.text.clear();
  } else if (const auto code = exit_code_in(words)) {
    out.code = failure_reason::script_exit;
    out.exit_code = code;
  }
  return out;
}

/// Returns true for a run that ended without success, and for a row of dropped instants.
bool ended_without_success(const log_row& run) {
  return is_terminal(state_of(run.trigger_code, run.handle_code)) && run.handle_code != success_code;
}

} // namespace

std::string_view to_string(failure_reason reason) noexcept {
  switch (reason) {
  case failure_reason::no_executor: return "no_executor";
  case failure_reason::refused: return "refused";
  case failure_reason::connection_refused: return "connection_refused";
  case failure_reason::connect_timeout: return "connect_timeout";
  case failure_reason::no_answer: return "no_answer";
  case failure_reason::delivery_unknown: return "delivery_unknown";
  case failure_reason::handler_not_found: return "handler_not_found";
  case failure_reason::blocked_discarded: return "blocked_discarded";
  case failure_reason::replaced_by_later: return "replaced_by_later";
  case failure_reason::timed_out: return "timed_out";
  case failure_reason::killed: return "killed";
  case failure_reason::lost: return "lost";
  case failure_reason::script_exit: return "script_exit";
  case failure_reason::failed: return "failed";
  case failure_reason::bad_token: return "bad_token";
  case failure_reason::bad_parameter: return "bad_parameter";
  case failure_reason::node_died: return "node_died";
  case failure_reason::missed: return "missed";
  case failure_reason::not_sent: return "not_sent";
  }
  return "failed";
}

std::string_view to_string(end_cause cause) noexcept {
  switch (cause) {
  case end_cause::user: return "user";
  case end_cause::later_run: return "later_run";
  case end_cause::handler_changed: return "handler_changed";
  case end_cause::source_changed: return "source_changed";
  case end_cause::executor_stopped: return "executor_stopped";
  }
  return "user";
}

std::optional<reported_end> read_end(std::string_view report) noexcept {
  // The admin's text comes first if the admin ended the run before the executor reported.
  for (const auto written : {language::zh_cn, language::zh_tc, language::en})
    if (const auto by_admin = killed_result(written); report.starts_with(by_admin))
      return reported_end{end_cause::user, false, trimmed(report.substr(by_admin.size()))};
  for (const auto& each : known_ends) {
    if (!report.starts_with(each.reported))
      continue;
    const auto rest = trimmed(report.substr(each.reported.size()));
    if (rest == ended_running || rest == ended_waiting)
      return reported_end{each.cause, rest == ended_waiting, {}};
  }
  return std::nullopt;
}

std::optional<run_reason> reason_of(const noted_run& run) {
  if (!ended_without_success(run.row))
    return std::nullopt;
  if (run.row.handle_code != 0)
    return reason_of_result(run);
  return run.note && run.note->missed ? std::nullopt : std::optional{reason_of_trigger(run)};
}

std::optional<run_reason> reason_of(const log_row& run) {
  return ended_without_success(run) ? reason_of(noted_run{run}) : std::nullopt;
}

std::string trigger_words(const noted_run& run) {
  return run.note ? valid_utf8(trimmed(run.note->message)) : std::string{trimmed(plain_text(run.row.trigger_msg))};
}

std::string result_words(const log_row& run) {
  if (run.handle_code == 0)
    return {};
  return std::string{trimmed(plain_text(result_text(run.handle_msg, language::en)))};
}

} // namespace ringmaster::core
