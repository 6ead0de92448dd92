#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>

#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// The way to an executor that has no HTTP address, while it has no native link to this node. Runs wait for it to dial in, which
/// it does within moments of a restart of either or of a cut; of one that stays away they are not sent, as of one to which no
/// connection comes about.
class absent_link_state {
public:
  static inline const char* name = "ringmaster.absent_link";
  /// An executor that is there tries more often (dialer_limits).
  static constexpr std::chrono::seconds patience{5};
  static constexpr std::size_t runs_max = 65'536;

  absent_link_state(protocol::absent_link::pointer self, std::string address);
  protocol::absent_link::behavior_type make_behavior();

private:
  using steady = protocol::wall_clock::steady;

  void hold(protocol::send_batch&& batch);
  void hand_over(const protocol::executor_link& to);
  void give_up_late();
  void refuse(protocol::send_batch&& batch, const std::string& why);
  void arm();

  protocol::absent_link::pointer self_;
  std::string why_;
  /// By when they are given up.
  std::multimap<steady, protocol::send_batch> held_;
  std::size_t runs_held_ = 0;
  bool armed_ = false;
};

} // namespace ringmaster::actors
