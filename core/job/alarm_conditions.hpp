#pragma once

// Which ends of its runs a job wants alarms for.

#include <cstdint>
#include <string_view>

namespace ringmaster::core {

/// What an alarm is about.
enum class alarm_reason : std::uint8_t { failed, missed };

/// Which of its ends a job wants alarms for (`alarm_on`).
struct alarm_conditions {
  bool failed = true;
  bool missed = true;

  [[nodiscard]] constexpr bool has(alarm_reason reason) const noexcept {
    return reason == alarm_reason::missed ? missed : failed;
  }
  [[nodiscard]] constexpr bool is_default() const noexcept { return failed && missed; }
  friend bool operator==(const alarm_conditions&, const alarm_conditions&) = default;
};

/// The text of the column `rm_job_ext.alarm_on`: `failed,missed`, `failed`, `missed`, or `none`.
[[nodiscard]] std::string_view stored_name(alarm_conditions requested) noexcept;
/// The inverse; an unknown or empty text is the default.
[[nodiscard]] alarm_conditions find_alarm_conditions(std::string_view text) noexcept;

} // namespace ringmaster::core
