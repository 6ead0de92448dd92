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
[[nodiscard]] std::string_view stored_name(alarm_conditions requested) noexcept;
/// Returns the inverse of `stored_name`; an unknown or empty text is the default.
[[nodiscard]] alarm_conditions find_alarm_conditions(std::string_view text) noexcept;

} // namespace ringmaster::core
