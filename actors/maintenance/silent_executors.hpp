#pragma once

// Executors that did not answer when they were asked for a log.

#include <chrono>
#include <map>
#include <string>

#include <caf/actor_clock.hpp>

#include "core/ids.hpp"

namespace ringmaster::actors {

/// Executors by address that did not answer last time. Invariant: a silent executor is asked for one run at a time, after a pause
/// that doubles with each failure up to a limit, and within a round each time for a later run than the one that failed; an answer
/// ends the silence. The number of executors is limited. Part of the state of log_keeper.
class silent_executors {
public:
  using steady = caf::actor_clock::time_point;

  /// Records that an executor did not answer when asked for `run`. Returns true if the executor was silent already.
  bool failed(const std::string& address, core::log_id run, steady t);
  void answered(const std::string& address) { silent_.erase(address); }

  [[nodiscard]] bool contains(const std::string& address) const { return silent_.contains(address); }
  /// Returns false if a silent executor is not to be asked for this run now.
  [[nodiscard]] bool may_ask(const std::string& address, core::log_id run, steady t) const;
  /// Returns true if an executor has been silent for `time`.
  [[nodiscard]] bool is_silent_for(const std::string& address, std::chrono::milliseconds time, steady t) const;

  /// Records that a silent executor is being asked, for one run until `until`: one of its runs is enough to find out.
  void ask(const std::string& address, steady until);
  /// Begins a round of the search: executors whose pause is over may be asked for any run again.
  void begin_round(steady t);

  void clear() { silent_.clear(); }

private:
  struct silence {
    int failures = 0;
    steady since{};
    steady until{};
    /// Run that failed last; later runs are tried first.
    core::log_id tried{};
  };

  std::map<std::string, silence> silent_;
};

} // namespace ringmaster::actors
