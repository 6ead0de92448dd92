#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <caf/actor_clock.hpp>

#include "core/maintenance/log_maintenance.hpp"

namespace ringmaster::actors {

/// Accepted run without a result that lost_monitor examines.
struct watched_run {
  using steady = caf::actor_clock::time_point;
  enum class phase : std::uint8_t {
    /// Until `due`.
    waiting,
    /// Its row is being read.
    looking,
    /// Ready for its executor to be asked.
    ready,
    asking,
  };

  core::open_run run;
  /// Timeout of its job; 0: none, or the job is gone.
  std::chrono::seconds timeout{0};
  phase now = phase::waiting;
  steady due{};
  /// Times since when its executor has been idle, or has denied the run, in each answer.
  std::optional<steady> idle_since{};
  std::optional<steady> denied_since{};
};

/// Runs that lost_monitor asks about: a limited number of runs, of which a limited number is being asked about, few at one
/// executor. Executors take turns. Pure state of one actor.
class open_runs {
public:
  using steady = watched_run::steady;

  /// Maximum of runs watched.
  static constexpr std::size_t runs_max = 10'000;
  /// Maximum of runs whose executor is being asked, in total and at one address.
  static constexpr std::size_t asks_max = 128;
  static constexpr std::size_t asks_per_address_max = 8;
  /// Maximum of runs that were examined and rest for a while.
  static constexpr std::size_t resting_max = 50'000;

  [[nodiscard]] bool full() const noexcept { return runs_.size() >= runs_max; }
  [[nodiscard]] std::size_t size() const noexcept { return runs_.size(); }

  /// Adds a run, whose first step is due at once. Ignores a run that is watched or rests, or if no more fit.
  void add(core::open_run&& run, std::chrono::seconds timeout, steady now);
  [[nodiscard]] watched_run* find(core::log_id id);
  void erase(core::log_id id);
  /// Removes a run that is decided for now; it is not added again before `until`.
  void rest(core::log_id id, steady until);
  /// Makes the runs at this address due again at once.
  void wake(const std::string& address, steady now);
  void clear();

  /// Returns the waiting runs that are due, earliest first, at most `limit`; they are `looking` afterwards.
  [[nodiscard]] std::vector<core::log_id> take_due(steady now, std::size_t limit);
  /// Marks the run as ready to be asked about.
  void make_ready(watched_run& run);
  /// Returns the next ready run for which there is a place, else null; it is `asking` afterwards.
  [[nodiscard]] watched_run* take_ready();
  void wait(watched_run& run, steady until);

private:
  struct lane {
    std::set<core::log_id> ready;
    std::size_t asking = 0;
  };
  void leave_phase(watched_run& run);

  std::map<core::log_id, watched_run> runs_;
  std::set<std::pair<steady, core::log_id>> waiting_;
  std::map<std::string, lane> lanes_;
  std::string last_turn_;
  std::size_t asking_ = 0;
  std::unordered_map<core::log_id, steady> resting_;
};

} // namespace ringmaster::actors
