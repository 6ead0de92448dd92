#include "core/unknown_verdict.hpp"

#include "core/text.hpp"

namespace ringmaster::core {

namespace {

constexpr std::int32_t busy_reply = 500;
/// In the first line of the log of every run that a Java or Ringmaster executor started.
constexpr std::string_view started = "job execute start";
/// The same of `pyxxl`.
constexpr std::string_view python_started = " - Start job jobId=";
constexpr std::string_view file_missing = "readLog fail, logFile not exists";

} // namespace

unknown_verdict judge(const executor_evidence& evidence) noexcept {
  if (!evidence.log_answered)
    return unknown_verdict::cannot_tell;
  for (const auto words : {started, python_started})
    if (evidence.log_content.find(words) != std::string_view::npos)
      return unknown_verdict::known;
  const auto said = trimmed(evidence.log_content);
  if ((said != file_missing && said != python_log_missing) || evidence.log_to_line != 0)
    return unknown_verdict::cannot_tell;
  if (evidence.idle_code == idle_reply)
    return unknown_verdict::not_received;
  return evidence.idle_code == busy_reply ? unknown_verdict::busy : unknown_verdict::cannot_tell;
}

} // namespace ringmaster::core
