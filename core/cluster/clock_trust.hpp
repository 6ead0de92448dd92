#pragma once

// Decides whether a node trusts its own wall clock. Pure.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/time.hpp"

namespace ringmaster::core {

/// Comparison of a node's wall clock with the other clocks that it knows: the database server's, those of the live nodes, and its
/// own steady clock. It keeps a wrong clock from moving jobs' next times far ahead; leases never depend on it.
///
/// The rule: the clock is trusted while a majority agrees within the tolerance, the clock itself included. After a step beyond
/// the tolerance the node's steady clock is a witness against it for `settle`; then the step counts as a correction. So a false
/// step that most other clocks contradict is never trusted. A true correction is trusted at once when another clock confirms it,
/// else after `settle`.
///
/// All clocks are compared by their distance from CLOCK_BOOTTIME, which no correction moves, so that a reading of another clock
/// stays comparable when the node's clock steps.
class clock_trust {
public:
  /// Creates the check. A `tolerance` of 0 disables it: every clock is trusted.
  clock_trust(milliseconds tolerance, milliseconds settle) noexcept : tolerance_{tolerance}, settle_{settle} {}

  /// Takes a reading of the node's wall clock and CLOCK_BOOTTIME, at least once per heartbeat. Returns whether the clock is
  /// trusted.
  bool read(time_point wall, std::int64_t boot_ns);

  /// Takes a reading of the database's clock, made between two moments of CLOCK_BOOTTIME.
  void hear_database(time_point clock, std::int64_t asked_ns, std::int64_t answered_ns);

  /// Takes the clock of another node from a heartbeat that was sent between two moments of CLOCK_BOOTTIME.
  void hear_node(const std::string& node, time_point clock, std::int64_t earliest_ns, std::int64_t latest_ns);

  /// Forgets the clock of a node that has left or died.
  void forget_node(const std::string& node) { nodes_.erase(node); }

  [[nodiscard]] bool trusted() const noexcept { return trusted_; }
  /// Returns the number of steps beyond the tolerance since the start.
  [[nodiscard]] std::int64_t steps() const noexcept { return steps_; }
  /// Returns a readable reason why the clock is not trusted; empty while it is.
  [[nodiscard]] std::string reason() const;

private:
  /// Another clock, as a range of distances from CLOCK_BOOTTIME.
  struct witness {
    milliseconds low{};
    milliseconds high{};
    std::int64_t heard_ns = 0;
  };
  [[nodiscard]] static witness seen(time_point clock, std::int64_t earliest_ns, std::int64_t latest_ns);
  [[nodiscard]] milliseconds difference(const witness& other) const;
  [[nodiscard]] bool denied_by(const witness& other) const;
  [[nodiscard]] bool majority_agrees() const;
  void watch_step(milliseconds offset);
  void forget_old();

  milliseconds tolerance_;
  milliseconds settle_;
  std::int64_t now_ns_ = 0;
  /// Distance of the wall clock from CLOCK_BOOTTIME, as last read.
  milliseconds offset_{};
  /// Distance when the clock was last trusted, or when its last step settled.
  std::optional<milliseconds> known_offset_;
  /// Time at which the pending step was seen; unset if there is none.
  std::optional<std::int64_t> stepped_ns_;
  std::optional<witness> database_;
  std::map<std::string, witness> nodes_;
  std::int64_t steps_ = 0;
  bool trusted_ = true;
};

} // namespace ringmaster::core
