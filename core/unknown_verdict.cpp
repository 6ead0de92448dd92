#include "core/unknown_verdict.hpp"

namespace ringmaster::core {

namespace {

constexpr std::int32_t idle = 200;
constexpr std::int32_t busy = 500;
/// In the first line of the log of every run that a Java or Ringmaster executor started.
constexpr std::string_view started = "job execute start";
constexpr std::string_view file_missing = "readLog fail, logFile not exists";

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view blanks = " \t\r\n";
  auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

} // namespace

unknown_verdict judge(const executor_evidence& evidence) noexcept {
  if (!evidence.log_answered)
    return unknown_verdict::cannot_tell;
  if (evidence.log_content.find(started) != std::string_view::npos)
    return unknown_verdict::known;
  if (trimmed(evidence.log_content) != file_missing || evidence.log_to_line != 0)
    return unknown_verdict::cannot_tell;
  if (evidence.idle_code == idle)
    return unknown_verdict::not_received;
  return evidence.idle_code == busy ? unknown_verdict::busy : unknown_verdict::cannot_tell;
}

} // namespace ringmaster::core
