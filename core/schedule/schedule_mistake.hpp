#pragma once

// Mistakes of schedules, by member of a request. Pure.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/job/schedule_options.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::core {

struct schedule_mistake {
  /// JSON pointer of the member, e.g. `/schedule/conf`.
  std::string pointer;
  /// A cron mistake, `not_a_number`, `unknown_zone` or `does_not_fit`.
  std::string_view code;
  std::string detail;
  /// Place in UTF-16 units in the text of the member, if a part of it is wrong.
  std::optional<std::size_t> position = {};
  std::size_t length = 0;
};

/// Returns the first mistake for which `schedule_rules::of` refuses the schedule. Looks up the zone. `where`: the zone of
/// schedules without one.
[[nodiscard]] std::optional<schedule_mistake> find_mistake(schedule_type type, std::string_view conf, const zone& where,
                                                           const schedule_options& options);

} // namespace ringmaster::core
