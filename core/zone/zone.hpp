#pragma once

// An IANA time zone with the conversions that schedules and database columns need.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// Wall-clock time without a zone.
using local_time = std::chrono::local_time<std::chrono::seconds>;

/// A time zone. Immutable, cheap to copy, safe from any thread. `find` reads a file: look a zone up once and keep it. Its clock
/// changes are known to the end of 2200; later times keep the last offset.
class zone {
public:
  /// Creates UTC.
  zone() = default;

  /// Looks up a zone. Errors: `invalid_argument` naming the text if the zone is not in the system's database.
  [[nodiscard]] static result<zone> find(std::string_view name);

  /// Returns the zone of the environment variable TZ, else of /etc/localtime, else UTC. Errors: `invalid_argument` if TZ is not a
  /// known zone.
  [[nodiscard]] static result<zone> system();

  [[nodiscard]] const std::string& name() const noexcept;

  [[nodiscard]] local_time to_local(time_point t) const;

  /// Returns the instant of a local time: unset in a gap, the second (standard-time) occurrence if it is ambiguous.
  [[nodiscard]] std::optional<time_point> to_instant(local_time t) const;

  /// Returns the first local time at or after `t` that no clock change skips: `t` itself, or the end of its gap.
  [[nodiscard]] local_time end_of_gap(local_time t) const;

  /// Formats the second of `t` (cut, never rounded) as `YYYY-MM-DD HH:MM:SS`: the text of a DATETIME column.
  [[nodiscard]] std::string format(time_point t) const;

  /// Parses the text of `format`; a skipped local time maps to the instant of the clock change. Errors: `invalid_argument`.
  [[nodiscard]] result<time_point> parse(std::string_view text) const;

private:
  struct rules;
  std::shared_ptr<const rules> rules_; // null: UTC
};

/// Formats a time in UTC as `2026-12-01T08:00:00.500Z`; without milliseconds if they are 0.
[[nodiscard]] std::string instant_text(time_point t);

} // namespace ringmaster::core
