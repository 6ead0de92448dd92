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
  /// A run whose misfire rule is DO_NOTHING does not wait for longer.
  core::milliseconds misfire_after{0};
  protocol::wall_clock clock;
};

/// The way to an executor that has no HTTP address, while it has no native link to this node. Runs wait for it to dial in, which
/// it does within moments of a restart of either or of a cut; of one that stays away they are not sent, as of one to which no
/// connection comes about.
class absent_link_state {
public:
  static inline const char* name = "ringmaster.absent_link";
  /// An executor that is there tries more often (dialer_limits).
  static constexpr std::chrono::seconds patience{5};
  static constexpr std::size_t runs_max = 65'536;

  absent_link_state(protocol::absent_link::pointer self, absent_link_tools tools, std::string address);
  protocol::absent_link::behavior_type make_behavior();

private:
  using steady = protocol::wall_clock::steady;

  void hold(protocol::send_batch&& batch);
  [[nodiscard]] steady limit_of(const core::claimed_run& run) const;
  void hand_over(const protocol::executor_link& to);
  void give_up_late();
  void refuse(std::vector<waiting_run>&& runs, const std::string& why);
  void arm();

  protocol::absent_link::pointer self_;
  absent_link_tools tools_;
  std::string address_;
  std::string why_;
  /// By when they are given up.
  std::multimap<steady, waiting_run> held_;
  bool armed_ = false;
};

} // namespace ringmaster::actors
