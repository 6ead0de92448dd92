#pragma once

#include <chrono>
#include <string>

#include "actors/logger.hpp"
#include "actors/store/store_access.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

/// Actor that holds XXL's schedule lock on its own connection, in native mode on MySQL, while this node is the leader. A Java
/// admin that is started by mistake then waits instead of planning the same jobs. A guard, not a proof: the connection may break.
/// `takeover` announces itself in the mode row, and the guard releases the lock.
class schedule_guard_state {
public:
  static inline const char* name = "ringmaster.schedule_guard";

  static constexpr std::chrono::milliseconds look_every{500};

  /// `worker`: only the guard (and, in shared mode, the reservations) uses its store.
  schedule_guard_state(protocol::schedule_guard::pointer self, protocol::store_worker worker, logger log);
  protocol::schedule_guard::behavior_type make_behavior();

private:
  void change_incarnation(const protocol::incarnation_change& change);
  void set_duty(bool on);
  void look();
  void hold();
  void let_go();
  void arm();
  void say(bool holds, const std::string& trouble);

  protocol::schedule_guard::pointer self_;
  protocol::store_worker worker_;
  logger log_;
  bool is_native_ = false;
  /// This node is the leader, in native mode.
  bool duty_ = false;
  bool holds_ = false;
  bool busy_ = false;
  bool armed_ = false;
  std::string trouble_;
};

} // namespace ringmaster::actors
