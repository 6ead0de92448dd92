#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "actors/executors/waiting_run.hpp"
#include "core/time.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

struct absent_link_tools {
  protocol::trigger_pool pool;
  /// Longest wait of a run whose misfire policy is DO_NOTHING.
  core::milliseconds misfire_after{0};
  protocol::wall_clock clock;
};

/// Link to an executor that has no HTTP address, while it has no native link to this node. Runs wait for the executor to connect,
/// which happens within moments after a restart of either side or after a cut; then they return to the pool. If the executor
/// stays away, the runs are not sent, as if no connection could be made.
class absent_link_state {
public:
  static inline const char* name = "ringmaster.absent_link";
  /// A running executor tries to connect more often (dialer_limits).
  static constexpr std::chrono::seconds patience{5};
  static constexpr std::size_t runs_max = 65'536;

  absent_link_state(protocol::absent_link::pointer self, absent_link_tools tools, std::string address);
  protocol::absent_link::behavior_type make_behavior();

private:
  using steady = protocol::wall_clock::steady;

  void hold(protocol::send_batch&& batch);
  void learn(const protocol::native_link_update& update);
  [[nodiscard]] steady limit_of(const core::claimed_run& run) const;
  void return_held();
  void give_up_late();
  void refuse(std::vector<waiting_run>&& runs, const std::string& why);
  void arm();

  protocol::absent_link::pointer self_;
  absent_link_tools tools_;
  std::string address_;
  std::string why_;
  /// Held runs by the time at which they are given up.
  runs_by_time held_;
  /// The executor has a native link, over which the pool sends.
  bool has_native_link_ = false;
  bool armed_ = false;
};

} // namespace ringmaster::actors
