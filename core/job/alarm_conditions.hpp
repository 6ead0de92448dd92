#pragma once

// Outcomes of its runs for which a job raises alarms.

#include <cstdint>
#include <string_view>

namespace ringmaster::core {

/// Event that an alarm reports.
enum class alarm_reason : std::uint8_t { failed, missed };

/// Outcomes for which a job raises alarms (`alarm_on`).
struct alarm_conditions {
  bool failed = true;
  bool missed = true;

  [[nodiscard]] constexpr bool has(alarm_reason reason) const noexcept {
    return reason == alarm_reason::missed ? missed : failed;
  }
  [[nodiscard]] constexpr bool is_default() const noexcept { return failed && missed; }
  friend bool operator==(const alarm_conditions&, const alarm_conditions&) = default;
};

/// Returns the text of the column `rm_job_ext.alarm_on`: `failed,missed`, `failed`, `missed`, or `none`.
[[nodiscard]] inline std::string_view stored_name(alarm_conditions requested) noexcept {
  if (requested.failed)
    return requested.missed ? "failed,missed" : "failed";
  return requested.missed ? "missed" : "none";
}
/// Returns the inverse of `stored_name`; an unknown or empty text is the default.
[[nodiscard]] inline alarm_conditions find_alarm_conditions(std::string_view text) noexcept {
  for (const alarm_conditions requested :
       {alarm_conditions{true, false}, alarm_conditions{false, true}, alarm_conditions{false, false}})
    if (stored_name(requested) == text)
      return requested;
  return {};
}

} // namespace ringmaster::core
