#include "executor/job_context.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <utility>

namespace ringmaster::executor {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view separators = " \t\r\n";
constexpr auto progress_every = 1s;

template <class T>
core::result<T> parse_number(std::string_view text, const char* kind) {
  T value{};
  const auto* end = text.data() + text.size();
  const auto [stopped, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc{} || stopped != end)
    return core::fail(core::errc::invalid_argument, "\"" + std::string{text} + "\" is not " + kind);
  return value;
}

/// Removes the value at the front of `rest` and returns it. In quotes, `\\"` and `\\\\` are escapes.
std::string take_value(std::string_view& rest) {
  std::string out;
  std::size_t at = 0;
  if (!rest.starts_with('"')) {
    at = std::min(rest.size(), rest.find_first_of(separators));
    out = rest.substr(0, at);
  } else {
    for (at = 1; at < rest.size() && rest[at] != '"'; ++at) {
      if (rest[at] == '\\' && at + 1 < rest.size() && (rest[at + 1] == '"' || rest[at + 1] == '\\'))
        ++at;
      out += rest[at];
    }
    at = std::min(rest.size(), at + 1);
  }
  rest.remove_prefix(at);
  return out;
}

} // namespace

core::result<std::int64_t> parse_int64(std::string_view text) {
  return parse_number<std::int64_t>(text, "a whole number of 64 bits");
}

core::result<double> parse_double(std::string_view text) {
  auto value = parse_number<double>(text, "a number");
  if (value && !std::isfinite(*value))
    return core::fail(core::errc::invalid_argument, "\"" + std::string{text} + "\" is not a number");
  return value;
}

core::result<bool> parse_bool(std::string_view text) {
  if (text == "true" || text == "1")
    return true;
  if (text == "false" || text == "0")
    return false;
  return core::fail(core::errc::invalid_argument, "\"" + std::string{text} + "\" is neither true nor false");
}

std::optional<std::string> find_argument(std::string_view param, std::string_view name) {
  for (auto rest = param; !rest.empty();) {
    const auto begin = rest.find_first_not_of(separators);
    if (begin == std::string_view::npos)
      break;
    rest.remove_prefix(begin);
    const auto end = std::min(rest.size(), rest.find_first_of(" \t\r\n="));
    const auto found = rest.substr(0, end);
    rest.remove_prefix(end);
    if (!rest.starts_with('='))
      continue;
    rest.remove_prefix(1);
    auto value = take_value(rest);
    if (found == name)
      return value;
  }
  return std::nullopt;
}

job_context::job_context(const core::trigger_request& request, job_log& log, std::stop_token stop,
                         const stop_reason_source& stop_reason, task_threads* threads)
  : request_{request}, log_{log}, stop_{std::move(stop)}, stop_reason_{stop_reason}, threads_{threads} {}

std::string_view job_context::param() const noexcept { return request_.param ? std::string_view{*request_.param} : ""; }

bool job_context::is_of_shard(std::int64_t number) const noexcept {
  const auto total = std::max<std::int64_t>(1, request_.shard_total);
  return ((number % total) + total) % total == request_.shard_index;
}

std::string job_context::stop_reason() const { return stop_requested() && stop_reason_ ? stop_reason_() : ""; }

bool job_context::wait_for(std::chrono::nanoseconds duration) const {
  sleep_awaiter sleep{nullptr, duration, stop_};
  (void)sleep.await_ready();
  return sleep.await_resume();
}

void job_context::progress(double fraction, std::string_view what, const code_place& where) {
  const auto now = std::chrono::steady_clock::now();
  {
    const std::scoped_lock lock{guard_};
    if (fraction < 1 && now - progress_told_ < progress_every)
      return;
    progress_told_ = now;
  }
  std::array<char, 16> percent{};
  std::snprintf(percent.data(), percent.size(), "%.1f %%", std::clamp(fraction, 0.0, 1.0) * 100);
  log_.line("progress " + std::string{percent.data()} + (what.empty() ? "" : ": ") + std::string{what}, where);
}

void job_context::set_result(std::int32_t code, std::optional<std::string> message) {
  const std::scoped_lock lock{guard_};
  outcome_.code = code;
  if (message)
    outcome_.message = std::move(message);
}

core::run_outcome job_context::outcome() const {
  const std::scoped_lock lock{guard_};
  return outcome_;
}

} // namespace ringmaster::executor
