#pragma once

// The clocks of a node, and its trust in its own wall clock.

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "actors/logger.hpp"
#include "actors/node/node_metrics.hpp"
#include "config/settings.hpp"
#include "core/cluster/clock_trust.hpp"
#include "core/cluster/node.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

struct node_clocks {
  protocol::wall_clock wall;
  /// CLOCK_BOOTTIME in nanoseconds; it goes on while the machine sleeps.
  std::function<std::int64_t()> boot;
  /// Takes the offset of `wall` from the system at each beat. Off if a test controls the time.
  bool follow_system = true;
  /// The system's wall clock, which `wall` follows while it is trusted. Null: `wall` is always trusted.
  std::function<core::time_point()> system = nullptr;
};

/// Clocks of this node, and the comparison of the system's wall clock with those of the database and of the other nodes.
/// Invariant: `node_clocks::wall` moves only while the system's clock is trusted, and stays in doubt until an answer of the
/// database found it trusted; its verdict is pending until the first answer. Changes of trust and steps are logged and counted
/// once. Part of the state of node_actor.
class trusted_clock {
public:
  using steady = protocol::wall_clock::steady;

  /// `node`: id of this node, whose own heartbeats are not compared.
  trusted_clock(node_clocks clocks, std::string node, const config::cluster_settings& settings, node_metrics metrics, logger log);

  /// Returns true if the system's clock is compared with others; otherwise it is always trusted.
  [[nodiscard]] bool is_judged() const noexcept { return is_judged_; }
  [[nodiscard]] bool trusted() const noexcept { return trust_.trusted(); }
  /// Returns a readable reason why the clock is not trusted; empty while it is.
  [[nodiscard]] std::string reason() const { return trust_.reason(); }

  /// Takes the first reading: a step before the first answer of the database is a step, too.
  void start();
  /// Reads the system's clock, and moves `wall` to it if it is trusted. Returns whether it is trusted. `now`: the actor's clock.
  bool look(steady now);
  /// Takes the clocks in an answer of the database that was requested at `sent`, in nanoseconds of CLOCK_BOOTTIME; then looks.
  bool hear(const core::cluster_view& view, std::int64_t sent, steady now);

  /// Returns CLOCK_BOOTTIME in nanoseconds.
  [[nodiscard]] std::int64_t boot() const { return clocks_.boot(); }
  /// Returns the time that this node's row shows to the others: the system's, trusted or not.
  [[nodiscard]] core::time_point shown(steady now) const { return clocks_.system ? clocks_.system() : clocks_.wall.at(now); }

private:
  /// Incarnation and heartbeat.
  using node_beat = std::pair<std::int64_t, std::int64_t>;

  bool judge();
  void hear_nodes(const std::vector<core::node_row>& rows, std::int64_t sent);

  node_clocks clocks_;
  std::string node_;
  std::int64_t dead_after_ns_;
  bool is_judged_;
  node_metrics metrics_;
  logger log_;
  core::clock_trust trust_;
  /// Beats of the last view, and the time of its request: the clock of a new beat is comparable.
  std::map<std::string, node_beat> heard_beats_;
  std::int64_t heard_ns_ = 0;
};

} // namespace ringmaster::actors
