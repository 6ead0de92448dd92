#pragma once

#include <optional>

#include <caf/actor_clock.hpp>

#include "core/maintenance/log_maintenance.hpp"

namespace ringmaster::actors {

/// Position of the walks that find old runs without a result, one walk after the other along the ids. Invariant: one read at a
/// time, and no run up to the low-water mark is open, so the next walk begins there. A walk that fails begins again. Part of the
/// state of lost_monitor, which reads the store.
class lost_walk {
public:
  using steady = caf::actor_clock::time_point;

  /// Begins a walk with the read of its range, if the next one is due; else returns false.
  [[nodiscard]] bool begin(steady t);
  /// Takes the range: the log up to the youngest old run.
  void begun(const core::log_range& old, steady t);
  /// Returns the section to read now; unset while there is none. Ends the walk if all of it was read.
  [[nodiscard]] std::optional<core::log_range> next(steady t);
  void walked(const core::open_page& found);
  /// Ends the walk because the store did not answer.
  void failed(steady retry_at);

  /// Begins the next walk at once, unless one is under way.
  void hurry(steady t);
  /// Forgets the walk and the mark; the first walk is due at `t`.
  void restart(steady t);

private:
  bool reading_ = false;
  std::optional<core::log_range> rest_;
  core::log_id low_water_{};
  std::optional<core::log_id> oldest_open_;
  steady began_{};
  steady next_{};
};

} // namespace ringmaster::actors
