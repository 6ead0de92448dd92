#pragma once

// Which ends of its runs a job wants alarms for.

#include <cstdint>
#include <optional>
#include <string_view>

namespace ringmaster::core {

/// What an alarm is about.
enum class alarm_reason : std::uint8_t { failed, missed };

/// Which of its ends a job wants alarms for (`alarm_on`).
struct alarm_wishes {
  bool failed = true;
  bool missed = true;

  [[nodiscard]] constexpr bool has(alarm_reason reason) const noexcept {
    return reason == alarm_reason::missed ? missed : failed;
  }
  [[nodiscard]] constexpr bool is_default() const noexcept { return failed && missed; }
  friend bool operator==(const alarm_wishes&, const alarm_wishes&) = default;
};

/// The text of the column `rm_job_ext.alarm_on`: `failed,missed`, `failed`, `missed`, or `none`.
[[nodiscard]] std::string_view stored_name(alarm_wishes wishes) noexcept;
/// The inverse; an unknown or empty text is the default.
[[nodiscard]] alarm_wishes find_alarm_wishes(std::string_view text) noexcept;

/// For a column: nothing for the default.
[[nodiscard]] inline std::optional<std::string_view> stored_or_null(alarm_wishes wishes) noexcept {
  return wishes.is_default() ? std::nullopt : std::optional{stored_name(wishes)};
}

} // namespace ringmaster::core
