#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "core/cluster/live_figures.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// Counters of a node since its start; none decreases.
struct counter_totals {
  /// Runs handed to executors.
  std::int64_t fired = 0;
  /// Runs that failed or could not be sent.
  std::int64_t failed = 0;
  /// Results that were stored.
  std::int64_t results = 0;
  lateness_counts lateness{};
};

/// The totals of the last 15 minutes, in memory of constant size. Invariant: two neighbouring totals are one step apart, and
/// there is always at least one. Pure; time is an argument.
class counter_history {
public:
  using steady = std::chrono::steady_clock::time_point;
  static constexpr milliseconds step{5'000};
  static constexpr std::size_t steps = 180;

  /// Amounts per second.
  struct rates {
    double fired = 0;
    double results = 0;
  };

  /// Begins with these totals. `wall`: civil time of `at`.
  counter_history(steady at, time_point wall, const counter_totals& totals);

  /// Takes the totals when a step has ended. Steps that passed without a call, e.g. while the machine slept, count nothing.
  void add(steady at, time_point wall, const counter_totals& totals);

  /// Returns the counts of all steps that have ended.
  [[nodiscard]] count_series series() const;
  /// Returns the counts from the oldest totals to `now`.
  [[nodiscard]] lateness_counts lateness(const counter_totals& now) const;
  /// Returns the rates of the last 5 to 10 seconds; 0 in the first second.
  [[nodiscard]] rates rates_at(steady at, const counter_totals& now) const;

private:
  void put(const counter_totals& totals);
  /// Returns the totals of `age` steps before the newest ones.
  [[nodiscard]] const counter_totals& before(std::size_t age) const;

  std::array<counter_totals, steps + 1> ring_{};
  /// Place of the newest totals.
  std::size_t newest_ = 0;
  std::size_t count_ = 1;
  steady newest_at_;
  time_point newest_wall_;
};

} // namespace ringmaster::core
