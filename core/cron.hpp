#pragma once

// XXL's cron dialect (Quartz-derived): parse once, ask often.

#include <array>
#include <bitset>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/time.hpp"
#include "core/zone.hpp"

namespace ringmaster::core {

/// A parsed cron expression: immutable, cheap to share, safe from any thread.
///
/// Accepts what XXL-JOB >= 3.4.0 accepts and computes like it, except that a `W` day yields all of its times (as 2.x does).
class cron_expression {
public:
  /// Parses six or seven fields. Errors: `invalid_argument` with XXL's own text, found left to right.
  /// `year_limit`: the last year that can fire; XXL takes the year of the process start + 100.
  [[nodiscard]] static result<cron_expression> parse(std::string_view text, int year_limit = 2126);

  /// The first fire time strictly after the second of `after`, in `where`; a whole second. Nothing when the expression can
  /// never fire again. A local time that a clock change skips does not fire; an ambiguous one fires at its second occurrence.
  [[nodiscard]] std::optional<time_point> next(time_point after, const zone& where) const;

private:
  cron_expression() = default;
  // The representation is the implementer's business.
};

} // namespace ringmaster::core
