#include "core/run/unknown_verdict.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>

#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

constexpr std::int32_t busy_reply = 500;
/// Part of the first log line of every run that a Java or Ringmaster executor started.
constexpr std::string_view started = "job execute start";
/// Part of the first log line of a run that `pyxxl` started.
constexpr std::string_view python_started = " - Start job jobId=";
constexpr std::string_view file_missing = "readLog fail, logFile not exists";

/// Executors' clocks rarely deviate by more than this.
constexpr milliseconds clock_error_max = std::chrono::minutes{2};

bool is_decimal(char c) noexcept { return c >= '0' && c <= '9'; }

/// Returns the number between `label` and `after`.
std::optional<std::int64_t> number_in(std::string_view line, std::string_view label, std::string_view after = {}) noexcept {
  for (auto at = line.find(label); at != std::string_view::npos; at = line.find(label, at + 1)) {
    const auto rest = line.substr(at + label.size());
    std::int64_t found = 0;
    const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), found);
    if (problem == std::errc{} && rest.substr(static_cast<std::size_t>(end - rest.data())).starts_with(after))
      return found;
  }
  return std::nullopt;
}

/// Returns the first `yyyy-MM-dd HH:mm:ss` of a line, as if it were in UTC.
std::optional<time_point> time_in(std::string_view line) noexcept {
  constexpr std::string_view form = "dddd-dd-dd dd:dd:dd";
  const auto fits = [&](std::string_view text) {
    return std::equal(form.begin(), form.end(), text.begin(), [](char f, char c) { return f == 'd' ? is_decimal(c) : f == c; });
  };
  for (std::size_t at = 0; at + form.size() <= line.size(); ++at) {
    const auto text = line.substr(at, form.size());
    if (!fits(text))
      continue;
    const auto part = [&](std::size_t from, std::size_t count) {
      int value = 0;
      for (const char c : text.substr(from, count))
        value = value * 10 + (c - '0');
      return value;
    };
    using namespace std::chrono;
    const year_month_day date{year{part(0, 4)}, month{static_cast<unsigned>(part(5, 2))}, day{static_cast<unsigned>(part(8, 2))}};
    if (date.ok())
      return sys_days{date} + hours{part(11, 2)} + minutes{part(14, 2)} + seconds{part(17, 2)};
  }
  return std::nullopt;
}

/// Returns true if some zone places `local` between `from` and `to`. The executor's zone is unknown: offsets are whole quarters
/// of an hour, from 12 hours west to 14 east.
bool fits_some_zone(time_point local, time_point from, time_point to) noexcept {
  using std::chrono::hours;
  constexpr std::chrono::minutes step{15};
  for (std::chrono::minutes offset = -hours{12}; offset <= hours{14}; offset += step)
    if (local - offset >= from && local - offset <= to)
      return true;
  return false;
}

/// Returns true if the log has the first line of this run.
bool has_begun(const executor_evidence& evidence, std::string_view words) noexcept {
  const auto content = evidence.log_content;
  for (auto at = content.find(words); at != std::string_view::npos; at = content.find(words, at + 1)) {
    const auto line_begin = content.substr(0, at).rfind('\n') + 1; // npos + 1 is 0
    if (!is_of_another_run(content.substr(line_begin, content.find('\n', at) - line_begin), evidence))
      return true;
  }
  return false;
}

} // namespace

bool is_of_another_run(std::string_view line, const executor_evidence& asked) noexcept {
  if (asked.job != job_id{}) {
    // Java's thread name, the prefix of Ringmaster's lines, Python's words.
    auto job = number_in(line, "JobThread-", "-");
    if (!job)
      job = number_in(line, "[job-", "]");
    if (!job)
      job = number_in(line, "jobId=");
    if (job && *job != number(asked.job))
      return true;
  }
  if (asked.fire_at == time_point{})
    return false;
  if (const auto head = line.find("[executor]-[job-"); head != std::string_view::npos)
    if (const auto second = number_in(line.substr(head), "]-[", "]"); second && *second > 0)
      return *second != to_ms(cut_to_second(asked.fire_at)) / 1000;
  const auto written = time_in(line);
  const auto latest = std::max(asked.now, asked.fire_at) + clock_error_max;
  return written && !fits_some_zone(*written, asked.fire_at - clock_error_max, latest);
}

unknown_verdict judge(const executor_evidence& evidence) noexcept {
  if (!evidence.log_answered)
    return unknown_verdict::cannot_tell;
  for (const auto words : {started, python_started})
    if (has_begun(evidence, words))
      return unknown_verdict::known;
  const auto said = trimmed(evidence.log_content);
  if ((said != file_missing && said != python_log_missing) || evidence.log_to_line != 0)
    return unknown_verdict::cannot_tell;
  if (evidence.idle_code == idle_reply)
    return evidence.is_one_process ? unknown_verdict::not_received : unknown_verdict::cannot_tell;
  return evidence.idle_code == busy_reply ? unknown_verdict::busy : unknown_verdict::cannot_tell;
}

} // namespace ringmaster::core
