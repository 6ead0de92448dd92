#pragma once

// What becomes of a run that an executor accepted and whose result did not come (firing protocol §11; XXL admin §7.4).

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "core/run/unknown_verdict.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// A run without a result is old after this, or a minute after its job's timeout if that is later.
inline constexpr milliseconds lost_age_min = std::chrono::minutes{10};
inline constexpr milliseconds lost_age_after_timeout = std::chrono::minutes{1};

/// How old a run of a job with this timeout must be to be lost although nobody proved it.
[[nodiscard]] constexpr milliseconds lost_age(std::chrono::seconds timeout) noexcept {
  return timeout.count() <= 0 ? lost_age_min : std::max(lost_age_min, timeout + lost_age_after_timeout);
}

/// Between two answers "idle" that make a finished run lost: executors repeat a callback that failed every 30 s.
inline constexpr milliseconds idle_confirmed_after = std::chrono::seconds{90};
/// Between two answers that deny having the run.
inline constexpr milliseconds denial_confirmed_after = std::chrono::seconds{2};

/// What is known of one run without a result.
struct lost_evidence {
  /// It is at least `lost_age` old.
  bool old = false;
  /// Its executor answered the last question.
  bool reached = false;
  /// Its answer to `/idleBeat`; 200 idle, 500 busy.
  std::int32_t idle_code = 0;
  /// What `/log` proves, if it was idle.
  unknown_verdict log = unknown_verdict::cannot_tell;
  /// The executor is registered now, or its group names it by hand.
  bool listed = false;
  /// It was registered, as far as anybody knows; an address that people wrote down never was.
  bool once_registered = false;
  /// How long ago it was idle first, and nothing else since.
  std::optional<milliseconds> idle_since{};
  /// How long ago it denied having the run first, and nothing else since.
  std::optional<milliseconds> denied_since{};
};

enum class lost_verdict : std::uint8_t {
  /// It runs, or nobody can tell: not now.
  leave,
  /// The executor is idle although it started the run: the result may be on its way.
  idle,
  /// The executor does not have it.
  denied,
  /// It is given up.
  lost,
};

[[nodiscard]] lost_verdict judge(const lost_evidence& evidence) noexcept;

} // namespace ringmaster::core
