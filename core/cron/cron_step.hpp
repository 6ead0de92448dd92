#pragma once

// Steps of cron fields that do not divide their range.

#include <string_view>

namespace ringmaster::core {

/// Returns true if the text of an expression has a step after whose last value the distance to the first value of the next round
/// is another one: `0/7` in minutes fires at 56 and at 0. The text is a valid expression. Steps of years and steps of 1 have no
/// rounds.
[[nodiscard]] bool has_unaligned_step(std::string_view cron) noexcept;

} // namespace ringmaster::core
