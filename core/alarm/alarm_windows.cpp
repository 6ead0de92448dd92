#include "core/alarm/alarm_windows.hpp"

#include <algorithm>

#include "core/run/execution_state.hpp"
#include "core/run/trigger_note.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

constexpr std::size_t reason_bytes_max = 200;
/// Key of all other reasons. No real reason has this text.
constexpr const char* other_reasons = "others";

/// Appends the text with each run of digits replaced by one `#`.
void append_folded(std::string& out, std::string_view text) {
  bool in_number = false;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && in_number)
      continue;
    out += digit ? '#' : c;
    in_number = digit;
  }
}

std::string_view first_line(std::string_view text) noexcept { return text.substr(0, text.find('\n')); }

} // namespace

std::string failure_reason(const log_row& run) {
  std::string out;
  if (run.trigger_code != 0 && run.trigger_code != success_code) {
    out = "trigger " + std::to_string(run.trigger_code) + ' ';
    const auto note = decode_trigger_note(run.trigger_msg);
    append_folded(out, first_line(note ? std::string_view{note->message} : std::string_view{run.trigger_msg}));
  } else {
    out = "handle " + std::to_string(run.handle_code) + ' ';
    append_folded(out, first_line(run.handle_msg));
  }
  out.resize(cut_bytes(out, reason_bytes_max).size());
  return out;
}

std::string failure_reason(const elastic_alarm& alarm) {
  std::string out = "item " + std::to_string(alarm.cause ? static_cast<int>(*alarm.cause) : 0) + ' ';
  append_folded(out, first_line(alarm.message));
  out.resize(cut_bytes(out, reason_bytes_max).size());
  return out;
}

alarm_windows::key alarm_windows::key_of(alarm_job job, std::string reason) const {
  key own{job, std::move(reason)};
  if (windows_.contains(own))
    return own;
  std::size_t open = 0;
  for (auto at = windows_.lower_bound({job, {}}); at != windows_.end() && at->first.first == job; ++at)
    if (++open >= per_job_max)
      return {job, other_reasons};
  return own;
}

bool alarm_windows::open(const key& what, milliseconds window, clock now) {
  if (window <= milliseconds{0})
    return true;
  const auto [at, is_new] = windows_.try_emplace(what);
  if (!is_new && now < at->second.ends)
    return false;
  // `ended` reports a window that ended with failures in it, and this failure with them.
  if (!is_new && at->second.held.count > 0)
    return false;
  at->second = {now + window, window, {what, {}, 0}};
  return true;
}

void alarm_windows::hold(const key& what, alarm_id alarm, bool remember) {
  const auto at = windows_.find(what);
  if (at == windows_.end())
    return;
  ++at->second.held.count;
  if (remember)
    at->second.held.alarms.push_back(alarm);
}

bool alarm_windows::holds_any(const key& what) const {
  const auto at = windows_.find(what);
  return at != windows_.end() && !at->second.held.alarms.empty();
}

std::vector<alarm_windows::waiting> alarm_windows::ended(clock now) {
  std::vector<waiting> out;
  for (auto at = windows_.begin(); at != windows_.end();) {
    auto& [what, window] = *at;
    if (now < window.ends) {
      ++at;
    } else if (window.held.count == 0) {
      at = windows_.erase(at);
    } else {
      out.push_back(std::exchange(window.held, {what, {}, 0}));
      window.ends = now + window.length;
      ++at;
    }
  }
  return out;
}

bool alarm_rate::take(std::string_view lane, clock now) {
  auto at = sent_.find(lane);
  if (at == sent_.end())
    at = sent_.emplace(lane, std::deque<clock>{}).first;
  auto& sent = at->second;
  while (!sent.empty() && sent.front() + std::chrono::minutes{1} <= now)
    sent.pop_front();
  if (sent.size() >= per_minute_)
    return false;
  sent.push_back(now);
  return true;
}

void alarm_rate::forget(clock now) {
  std::erase_if(sent_, [now](const auto& lane) {
    return lane.second.empty() || lane.second.back() + std::chrono::minutes{1} <= now;
  });
}

milliseconds alarm_back_off(unsigned failures) noexcept {
  constexpr milliseconds longest = std::chrono::minutes{5};
  const auto doublings = std::min(failures == 0 ? 0U : failures - 1, 9U);
  return std::min(milliseconds{1000 << doublings}, longest);
}

} // namespace ringmaster::core
