#pragma once

// Schedule options beyond XXL's type and text. Each option is one nullable column of `rm_job_ext`.

#include <cstdint>
#include <optional>
#include <string>

#include "core/result.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// Schedule type; XXL's names are in `job.hpp`.
enum class schedule_type : std::uint8_t {
  none, cron, fixed_rate,
  /// Unknown stored name; such a job is never planned, and an error says why.
  unknown
};

/// Options of a schedule. All absent: behaves exactly as XXL.
struct schedule_options {
  /// IANA name of the zone of the job's cron; empty: the schedule zone of the node.
  std::string time_zone = {};
  /// A fixed rate in milliseconds, in place of the whole seconds of `schedule_conf`.
  std::optional<std::int64_t> interval_ms = {};
  /// Lower bound of the instants. A fixed rate counts from it.
  std::optional<time_point> start_at = {};
  /// Upper bound of the instants.
  std::optional<time_point> end_at = {};
  /// Delay of each instant by 0 to this many milliseconds. The delay is constant for the same job and instant, and never reaches
  /// the next instant or passes `end_at`.
  std::optional<std::int32_t> jitter_ms = {};

  [[nodiscard]] bool empty() const noexcept {
    return time_zone.empty() && !interval_ms && !start_at && !end_at && !jitter_ms;
  }
  friend bool operator==(const schedule_options&, const schedule_options&) = default;
};

inline constexpr std::int64_t interval_ms_min = 10;
/// Longest interval of XXL's fixed rate.
inline constexpr std::int64_t interval_ms_max = 2'147'483'647'000;
/// A day.
inline constexpr std::int32_t jitter_ms_max = 86'400'000;

/// Checks that the options fit each other and the type. Errors: `invalid_argument` that begins with the option's name. Does not
/// look up the zone.
[[nodiscard]] result<void> check(schedule_type type, const schedule_options& options);

/// Returns the text of `schedule_conf` for a job with an interval: whole seconds, rounded up, as Java admins read it.
[[nodiscard]] std::string rate_text_of(std::int64_t interval_ms);

} // namespace ringmaster::core
