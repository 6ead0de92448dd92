#pragma once

// Runs whose logs are to be fetched.

#include <cstddef>
#include <deque>
#include <set>
#include <utility>
#include <vector>

#include "core/ids.hpp"
#include "core/run/kept_log.hpp"

namespace ringmaster::actors {

/// Runs that the search has found, round after round, in sections by run id. Invariant: a run is taken from the time it is found
/// until `forget`, and is found only once meanwhile; each waiting run is taken. Part of the state of log_keeper.
class pending_logs {
public:
  /// `section_max`: runs in one section.
  explicit pending_logs(std::size_t section_max) : section_max_{section_max} {}

  /// Returns the last run of the previous section; zero: a round begins.
  [[nodiscard]] core::log_id after() const noexcept { return after_; }
  [[nodiscard]] bool is_in_round() const noexcept { return after_ != core::log_id{}; }

  /// Forgets the waiting runs if there are too many: they must not delay other executors, and the next round finds them again.
  void make_room() {
    if (waiting_.size() < waiting_sections_max * section_max_)
      return;
    for (const auto& run : waiting_)
      taken_.erase(run.run);
    waiting_.clear();
  }
  /// Adds the runs of the next section that are not taken yet. Returns true if this section ends the round.
  bool add_section(std::vector<core::pending_log>&& section) {
    const bool last = section.size() < section_max_;
    after_ = last ? core::log_id{} : section.back().run;
    for (auto& run : section)
      if (taken_.insert(run.run).second)
        waiting_.push_back(std::move(run));
    return last;
  }

  /// Removes and returns the waiting runs, in the order in which they were found. They stay taken.
  [[nodiscard]] std::deque<core::pending_log> take_waiting() { return std::exchange(waiting_, {}); }
  /// Adds a taken run at the end of the waiting ones.
  void wait(core::pending_log&& run) { waiting_.push_back(std::move(run)); }
  /// Ends the work on a taken run that is not waiting; the search may find it again.
  void forget(core::log_id run) { taken_.erase(run); }

  void clear() {
    after_ = {};
    waiting_.clear();
    taken_.clear();
  }

private:
  /// Maximum of waiting runs, in sections.
  static constexpr std::size_t waiting_sections_max = 4;

  std::size_t section_max_;
  core::log_id after_{};
  /// Runs whose executor is busy with others.
  std::deque<core::pending_log> waiting_;
  /// Runs that wait here, and those that are being fetched, stored or given up.
  std::set<core::log_id> taken_;
};

} // namespace ringmaster::actors
