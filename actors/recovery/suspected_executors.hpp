#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <caf/actor_clock.hpp>

namespace ringmaster::actors {

/// Executors that may have died, until they answer anything. Invariant: a limited number of them is asked at once, each by one
/// request at a time, with pauses that grow until there is another sign. An executor without a sign for long is removed: its
/// open runs are old by then, and the walk finds them. Part of the state of lost_monitor.
class suspected_executors {
public:
  using steady = caf::actor_clock::time_point;

  /// Maximum of suspects; beyond it, the walk finds their runs when they are old.
  static constexpr std::size_t suspects_max = 10'000;
  /// Maximum of suspects that are asked at once whether they are alive.
  static constexpr std::size_t handshakes_max = 64;

  /// Records a sign that the executor may have died; it is asked after a moment.
  void add(const std::string& address, steady t);
  [[nodiscard]] bool contains(const std::string& address) const { return suspects_.contains(address); }

  /// Returns the executors to ask now whether they are alive.
  [[nodiscard]] std::vector<std::string> take_due(steady t);
  /// Records the outcome of such a request. Returns true if a suspect has answered; it is removed.
  bool take_answer(const std::string& address, bool answered, steady t);

  /// Returns executors to name in the log because they have been silent for some time, each of them once, at most `limit`.
  [[nodiscard]] std::vector<std::string> take_unnamed(std::size_t limit, steady t);

  void clear();

private:
  struct suspect {
    steady first{};
    /// Last time of a sign that it may have died.
    steady since{};
    steady next_knock{};
    std::chrono::milliseconds wait{0};
    bool knocking = false;
    bool named = false;
  };

  std::map<std::string, suspect> suspects_;
  std::size_t knocking_ = 0;
};

} // namespace ringmaster::actors
