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

/// An accepted run without a result, while somebody finds out about it.
struct watched_run {
  using steady = caf::actor_clock::time_point;
  enum class phase : std::uint8_t {
    /// Until `due`.
    waiting,
    /// Its row is being read.
    looking,
    /// Wants its executor to be asked.
    ready,
    asking,
  };

  core::open_run run;
  /// Of its job; 0: none, or the job is gone.
  std::chrono::seconds timeout{0};
  phase now = phase::waiting;
  steady due{};
  /// Since when its executor has been idle, or has denied it, in each answer.
  std::optional<steady> idle_since{};
  std::optional<steady> denied_since{};
};

/// The runs that lost_monitor asks about: a bounded number, of which a bounded number talks to executors, few to the same one.
/// Executors take turns. Pure state of one actor.
class open_runs {
public:
  using steady = watched_run::steady;

  /// Runs watched at most.
  static constexpr std::size_t runs_max = 10'000;
  /// Runs whose executor is being asked, in all and at one address.
  static constexpr std::size_t asks_max = 128;
  static constexpr std::size_t asks_per_address_max = 8;
  /// Runs that were looked into and are left alone for a while.
  static constexpr std::size_t resting_max = 50'000;

  [[nodiscard]] bool full() const noexcept { return runs_.size() >= runs_max; }
  [[nodiscard]] std::size_t size() const noexcept { return runs_.size(); }

  /// Its first step is due at once. Nothing when it is watched or rests, or no more fit.
  void add(core::open_run&& run, std::chrono::seconds timeout, steady now);
  [[nodiscard]] watched_run* find(core::log_id id);
  void erase(core::log_id id);
  /// It is decided about for now: it is not added again before `until`.
  void rest(core::log_id id, steady until);
  /// Those at this address are looked at again at once.
  void wake(const std::string& address, steady now);
  void clear();

  /// Waiting runs that are due, earliest first, at most `limit`; they are `looking` afterwards.
  [[nodiscard]] std::vector<core::log_id> take_due(steady now, std::size_t limit);
  /// They want to be asked about.
  void make_ready(watched_run& run);
  /// The next ready run for which there is a place, else null; it is `asking` afterwards.
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
