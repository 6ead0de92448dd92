#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

#include "actors/recovery/unknown_runs.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

/// Runs that the trigger pool reported as unknown and that wait for room. Invariant: each holds its slots in the pool until it is
/// admitted or dropped, so that reports without room slow planning down. Part of the state of recovery_actor.
class reported_runs {
public:
  void add(unknown_run&& run) { runs_.push_back(std::move(run)); }
  [[nodiscard]] std::size_t size() const noexcept { return runs_.size(); }

  /// Moves runs to `known` until it has `max`. Returns their slots.
  [[nodiscard]] protocol::slot_release admit(unknown_runs& known, std::size_t max) {
    protocol::slot_release freed;
    for (; !runs_.empty() && known.size() < max; runs_.pop_front()) {
      auto& reported = runs_.front();
      freed.slots.add(reported.run.plan);
      if (auto* run = known.find(reported.run.id)) { // its claim was adopted before the run was reported
        run->sent = true;
        run->repeated = reported.repeated;
        run->first_error = std::move(reported.first_error);
      } else {
        known.add(std::move(reported));
      }
    }
    return freed;
  }
  /// Forgets all runs. Returns their slots.
  [[nodiscard]] protocol::slot_release drop() {
    protocol::slot_release freed;
    for (const auto& reported : std::exchange(runs_, {}))
      freed.slots.add(reported.run.plan);
    return freed;
  }

private:
  std::deque<unknown_run> runs_;
};

/// Runs that need the permission to be sent a second time (T7). Invariant: one transaction at a time, with all runs that were
/// added during the one before, up to a limit. Part of the state of recovery_actor.
class permit_queue {
public:
  static constexpr std::size_t per_transaction_max = 500;

  void add(core::log_id run) { runs_.push_back(run); }
  /// Begins a transaction and returns its runs; none if one is under way or no run waits.
  [[nodiscard]] std::vector<core::log_id> take() {
    if (busy_ || runs_.empty())
      return {};
    busy_ = true;
    const auto end = runs_.begin() + static_cast<std::ptrdiff_t>(std::min(runs_.size(), per_transaction_max));
    std::vector<core::log_id> taken{runs_.begin(), end};
    runs_.erase(runs_.begin(), end);
    return taken;
  }
  void answered() noexcept { busy_ = false; }
  void clear() {
    runs_.clear();
    busy_ = false;
  }

private:
  std::vector<core::log_id> runs_;
  bool busy_ = false;
};

} // namespace ringmaster::actors
