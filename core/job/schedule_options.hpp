#pragma once

// What a schedule can do beyond XXL's type and text. Each option is one nullable column of `rm_job_ext`.

#include <cstdint>
#include <optional>
#include <string>

#include "core/result.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// XXL's names are in `job.hpp`.
enum class schedule_type : std::uint8_t {
  none, cron, fixed_rate,
  /// A stored name that nobody knows; such a job is never planned, and says why.
  unknown
};

/// All absent: exactly XXL.
struct schedule_options {
  /// IANA name of the zone in which the job's cron is meant; empty: the schedule zone of the node.
  std::string time_zone = {};
  /// A fixed rate in milliseconds, in place of the whole seconds of `schedule_conf`.
  std::optional<std::int64_t> interval_ms = {};
  /// No instant lies before it. A fixed rate counts from it.
  std::optional<time_point> start_at = {};
  /// No instant lies behind it.
  std::optional<time_point> end_at = {};
  /// Each instant is put off by 0 to so many milliseconds, always by the same for the same job and instant, and never to the next
  /// instant or behind `end_at`.
  std::optional<std::int32_t> jitter_ms = {};

  [[nodiscard]] bool empty() const noexcept {
    return time_zone.empty() && !interval_ms && !start_at && !end_at && !jitter_ms;
  }
  friend bool operator==(const schedule_options&, const schedule_options&) = default;
};

inline constexpr std::int64_t interval_ms_min = 10;
/// As many seconds as XXL's fixed rate can have.
inline constexpr std::int64_t interval_ms_max = 2'147'483'647'000;
/// A day.
inline constexpr std::int32_t jitter_ms_max = 86'400'000;

/// Whether the options fit each other and the type. Errors: `invalid_argument` that begins with the option's name. Does not look
/// the zone up.
[[nodiscard]] result<void> check(schedule_type type, const schedule_options& options);

/// What the column `schedule_conf` holds beside an interval: whole seconds, rounded up, which is what a Java admin makes of it.
[[nodiscard]] std::string rate_text_of(std::int64_t interval_ms);

} // namespace ringmaster::core
