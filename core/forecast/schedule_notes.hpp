#pragma once

// Notes about a schedule that its author may not expect. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/schedule_options.hpp"
#include "core/schedule/schedule.hpp"
#include "core/time.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::core {

enum class schedule_note_code : std::uint8_t {
  /// Clocks skip a time of the schedule within a year: it does not fire then.
  dst_skipped,
  /// Clocks show a time of the schedule twice within a year: it fires at the second one.
  dst_repeated,
  /// It does not fire any more, or only once more.
  never_again,
  /// More than a year until it fires, or between its next two instants.
  rarer_than_a_year,
  /// A step of the cron does not divide its range.
  unaligned_step
};

/// Returns the name in JSON.
[[nodiscard]] std::string_view to_string(schedule_note_code code) noexcept;

struct schedule_note {
  schedule_note_code code{};
  /// The clock change, or the instant in question.
  std::optional<time_point> at = {};
  friend bool operator==(const schedule_note&, const schedule_note&) = default;
};

struct noted_schedule {
  schedule_type type = schedule_type::none;
  std::string_view conf;
  /// The zone of the schedule.
  const zone& where;
  const schedule_options& options;
};

/// Returns the notes about the time after `from`, each at most once. The schedule is valid; `rule` is the compiled one.
[[nodiscard]] std::vector<schedule_note> notes_of(const noted_schedule& noted, const schedule& rule, time_point from);

} // namespace ringmaster::core
