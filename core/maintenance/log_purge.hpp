#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

#include "core/maintenance/log_maintenance.hpp"
#include "core/time.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::core {

/// Returns the last instant whose runs are too old: the local midnight `days` before today's (XXL admin §7.7).
[[nodiscard]] time_point purge_before(time_point now, const zone& where, std::size_t days);

/// A sequence of purges, each in steps. The size of a step follows from the time of the steps before, so that it takes about
/// `step_aim` and no transaction holds its locks longer than 50 ms. It works an eighth of the time, because the database's work
/// after a deletion (flushing, purging) is a multiple of the statement's time. It remembers its position: the next purge skips
/// the rows that the last one left, except near its end. Pure state of one actor.
class log_purge {
public:
  static constexpr std::chrono::milliseconds step_aim{15};
  static constexpr std::chrono::milliseconds pause_min{50};
  static constexpr int pause_factor = 7;
  static constexpr std::size_t limit_min = 10;
  static constexpr std::size_t limit_max = 2'000;

  /// Returns true if runs up to this instant are still to be purged.
  [[nodiscard]] bool is_due(time_point before) const { return done_ != before; }
  /// Begins a purge of runs of `range` up to `before`. After `settled`, rows may still be younger than rows with higher ids: the
  /// next purge examines them again.
  void begin(log_range range, time_point before, log_id settled);
  /// Returns the next step; unset when the purge has ended or there is none.
  [[nodiscard]] std::optional<purge_step> next() const;
  /// Takes the outcome of a step. Returns the wait before the next one.
  std::chrono::milliseconds stepped(const purge_outcome& outcome);
  /// Takes the failure of a step, which changed nothing. A smaller step may fit into a time limit.
  void failed();
  /// Forgets everything except the step size.
  void reset();

  /// Returns the number of rows that the present or the last purge removed.
  [[nodiscard]] std::size_t removed() const noexcept { return removed_; }
  /// Returns the start of the next purge: every row up to here was removed or stays for a reason.
  [[nodiscard]] log_id low_water() const noexcept { return low_water_; }

private:
  std::optional<purge_step> present_;
  std::optional<time_point> done_;
  log_id low_water_{};
  /// Limit of settled ids for the present purge.
  log_id settled_{};
  std::size_t removed_ = 0;
  std::size_t limit_ = 100;
};

} // namespace ringmaster::core
