#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

#include "core/maintenance/log_maintenance.hpp"
#include "core/time.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::core {

/// The last instant whose runs are too old: the local midnight `days` before today's (XXL admin §7.7).
[[nodiscard]] time_point purge_before(time_point now, const zone& where, std::size_t days);

/// One purge after the other, step by step. A step is as large as fits into `step_aim`, by what the steps before took, so that no
/// transaction holds its locks for longer than 50 ms; it works an eighth of the time, because what a database has to do after the
/// deletion of rows (flushing, purging) is a multiple of what the statement takes. It remembers how far it came: the next purge
/// does not look at what the last one left, but for what was near its end. Pure state of one actor.
class log_purge {
public:
  static constexpr std::chrono::milliseconds step_aim{15};
  static constexpr std::chrono::milliseconds pause_min{50};
  static constexpr int pause_factor = 7;
  static constexpr std::size_t limit_min = 10;
  static constexpr std::size_t limit_max = 2'000;

  /// Whether runs up to this instant are still to be purged.
  [[nodiscard]] bool is_due(time_point before) const { return done_ != before; }
  /// Runs of `range` up to `before`. Behind `settled` some may be younger than that, although older ids follow: the next purge
  /// looks at those once more.
  void begin(log_range range, time_point before, log_id settled);
  /// Nothing when the purge is over or there is none.
  [[nodiscard]] std::optional<purge_step> next() const;
  /// How long to wait before the next step.
  std::chrono::milliseconds stepped(const purge_outcome& outcome);
  /// The step failed: nothing of it was kept. A shorter one may fit into a time limit.
  void failed();
  /// Forgets everything but how many rows a step may have.
  void reset();

  /// Rows that the present purge, or the last one, removed.
  [[nodiscard]] std::size_t removed() const noexcept { return removed_; }
  /// Everything up to here was purged or has a reason to stay: the next purge begins here.
  [[nodiscard]] log_id low_water() const noexcept { return low_water_; }

private:
  std::optional<purge_step> present_;
  std::optional<time_point> done_;
  log_id low_water_{};
  /// Of the present purge.
  log_id settled_{};
  std::size_t removed_ = 0;
  std::size_t limit_ = 100;
};

} // namespace ringmaster::core
