#pragma once

// An IANA time zone, looked up once, with the conversions that a schedule and a database column need.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// Wall-clock time without a zone.
using local_time = std::chrono::local_time<std::chrono::seconds>;

/// Immutable, cheap to copy, safe from any thread. `find` reads a file: look a zone up once and keep it. Its clock changes are
/// known to the end of 2200; later times keep the last offset.
class zone {
public:
  /// UTC.
  zone() = default;

  /// Errors: `invalid_argument` naming the text when the zone is not in the system's database.
  [[nodiscard]] static result<zone> find(std::string_view name);

  /// The zone of the environment variable TZ, else of /etc/localtime, else UTC. Errors: `invalid_argument` when TZ names none.
  [[nodiscard]] static result<zone> system();

  [[nodiscard]] const std::string& name() const noexcept;

  [[nodiscard]] local_time to_local(time_point t) const;

  /// The instant of a local time. In a gap: nothing. Ambiguous: the second (standard-time) occurrence.
  [[nodiscard]] std::optional<time_point> to_instant(local_time t) const;

  /// The first local time at or after `t` that no clock change skips: `t` itself, or the end of its gap.
  [[nodiscard]] local_time end_of_gap(local_time t) const;

  /// `YYYY-MM-DD HH:MM:SS` of the second that `t` lies in (cut, never rounded): the text of a DATETIME column.
  [[nodiscard]] std::string format(time_point t) const;

  /// The inverse of `format`; a skipped local time maps to the instant of the clock change. Errors: `invalid_argument`.
  [[nodiscard]] result<time_point> parse(std::string_view text) const;

private:
  struct rules;
  std::shared_ptr<const rules> rules_; // null: UTC
};

} // namespace ringmaster::core
