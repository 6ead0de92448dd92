#pragma once

// Alarms of elastic jobs, as coordinators raise them (elastic design §1).

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/elastic/elastic_ids.hpp"
#include "core/time.hpp"

namespace ringmaster::core::elastic {

/// A row of `ej_alarm`.
enum class elastic_alarm_id : std::int64_t {};

/// Kind of an alarm, by which rules choose.
enum class item_alarm : std::uint8_t { failure, late, unowned, takeovers };
inline constexpr std::array item_alarms{item_alarm::failure, item_alarm::late, item_alarm::unowned, item_alarm::takeovers};

/// Returns `ej_fail`, `ej_late`, `ej_unowned`, `ej_takeovers`.
[[nodiscard]] std::string_view stored_name(item_alarm kind) noexcept;
[[nodiscard]] std::optional<item_alarm> find_item_alarm(std::string_view name) noexcept;

/// Cause of an alarm: `ej_alarm.cause`. 0 stands for a recovery.
enum class alarm_cause : std::uint8_t {
  /// The body reported a failure.
  error = 1,
  /// The run was ended by its time limit.
  time_limit = 2,
  /// The body ignored cancel and kill.
  ignored = 3,
  /// The host was lost, and no other host takes the item over.
  lost = 4,
  /// The host was lost after the last takeover that the job permits.
  takeover_limit = 5,
  /// A fire began late.
  late = 6,
  /// The misfire rule dropped a fire.
  dropped = 7,
  /// An item has waited for a host for `unowned_after`.
  waits = 8,
  /// A fire was due, and the plan assigns no host to some items.
  unassigned = 9,
  /// Takeovers of the job repeat.
  takeovers = 10,
};

[[nodiscard]] constexpr item_alarm kind_of(alarm_cause cause) noexcept {
  switch (cause) {
  case alarm_cause::error:
  case alarm_cause::time_limit:
  case alarm_cause::ignored:
  case alarm_cause::lost:
  case alarm_cause::takeover_limit: return item_alarm::failure;
  case alarm_cause::late:
  case alarm_cause::dropped: return item_alarm::late;
  case alarm_cause::waits:
  case alarm_cause::unassigned: return item_alarm::unowned;
  case alarm_cause::takeovers: return item_alarm::takeovers;
  }
  return item_alarm::failure;
}

/// Stands for the whole job where an alarm concerns no single item.
inline constexpr item_number whole_job{-3};

/// An alarm that a coordinator raises.
struct raised_alarm {
  alarm_cause cause = alarm_cause::error;
  item_number item = whole_job;
  /// The run that failed; 0: none.
  item_run_id run{};
  /// Instant of the fire that the alarm concerns; of takeovers, the time of the first. The epoch: none.
  time_point fire{};
  /// `late`, `dropped`: lateness in ms. `waits`, `unassigned`: number of items without a host. `takeovers`: their number.
  std::int64_t amount = 0;
  /// Time of the decision. It tells two alarms apart: the same alarm twice is stored once.
  time_point at{};
  friend bool operator==(const raised_alarm&, const raised_alarm&) = default;
};

} // namespace ringmaster::core::elastic
