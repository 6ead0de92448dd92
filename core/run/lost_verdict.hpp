#pragma once

// Decision about a run that an executor accepted and whose result never came (firing protocol §11; XXL admin §7.4).

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "core/run/unknown_verdict.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// Age at which a run without a result is old: this, or a minute after its job's timeout if that is later.
inline constexpr milliseconds lost_age_min = std::chrono::minutes{10};
inline constexpr milliseconds lost_age_after_timeout = std::chrono::minutes{1};

/// Returns the age at which a run of a job with this timeout is lost even without proof.
[[nodiscard]] constexpr milliseconds lost_age(std::chrono::seconds timeout) noexcept {
  return timeout.count() <= 0 ? lost_age_min : std::max(lost_age_min, timeout + lost_age_after_timeout);
}

/// Minimum time between two answers "idle" that make a finished run lost: executors repeat a failed callback every 30 s.
inline constexpr milliseconds idle_confirmed_after = std::chrono::seconds{90};
/// Minimum time between two answers that the run is unknown.
inline constexpr milliseconds denial_confirmed_after = std::chrono::seconds{2};

/// Known facts about one run without a result.
struct lost_evidence {
  /// The run is at least `lost_age` old.
  bool old = false;
  /// Its executor answered the last request.
  bool reached = false;
  /// Code of the answer to `/idleBeat`: 200 idle, 500 busy.
  std::int32_t idle_code = 0;
  /// Conclusion from `/log`, if the executor was idle.
  unknown_verdict log = unknown_verdict::cannot_tell;
  /// The executor is registered now, or is a manual address of its group.
  bool listed = false;
  /// The executor was registered before, as far as is known; a manual address never was.
  bool once_registered = false;
  /// Time since the first of an unbroken series of answers "idle".
  std::optional<milliseconds> idle_since{};
  /// Time since the first of an unbroken series of answers that the run is unknown.
  std::optional<milliseconds> denied_since{};
};

enum class lost_verdict : std::uint8_t {
  /// It runs, or its state is unknown: no decision now.
  leave,
  /// The executor is idle although it started the run: the result may be on its way.
  idle,
  /// The executor does not have the run.
  denied,
  /// The run is recorded as lost.
  lost,
};

[[nodiscard]] inline lost_verdict judge(const lost_evidence& evidence) noexcept {
  if (!evidence.reached)
    return evidence.old && evidence.once_registered && !evidence.listed ? lost_verdict::lost : lost_verdict::leave;
  if (evidence.idle_code != idle_reply)
    return lost_verdict::leave;
  switch (evidence.log) {
  case unknown_verdict::not_received:
    // Several processes may share an address that was never registered, and another one may answer.
    if (!evidence.once_registered && !evidence.old)
      return lost_verdict::leave;
    return evidence.denied_since && *evidence.denied_since >= denial_confirmed_after ? lost_verdict::lost : lost_verdict::denied;
  case unknown_verdict::known:
    return evidence.idle_since && *evidence.idle_since >= idle_confirmed_after ? lost_verdict::lost : lost_verdict::idle;
  case unknown_verdict::busy:
  case unknown_verdict::cannot_tell: break;
  }
  return lost_verdict::leave;
}

} // namespace ringmaster::core
