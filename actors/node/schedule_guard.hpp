#pragma once

#include <chrono>
#include <optional>
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
  schedule_guard_state(protocol::schedule_guard::pointer self, protocol::store_worker worker, protocol::storage_actor storage,
                       logger log);
  protocol::schedule_guard::behavior_type make_behavior();

private:
  void change_incarnation(const protocol::incarnation_change& change);
  void look();
  void decide(const std::vector<core::node_row>& nodes);
  void hold();
  void let_go();
  void arm();
  void say(bool holds, const std::string& trouble);

  protocol::schedule_guard::pointer self_;
  protocol::store_worker worker_;
  protocol::storage_actor storage_;
  logger log_;
  /// Set in native mode only.
  std::optional<core::node_incarnation> incarnation_;
  bool holds_ = false;
  bool busy_ = false;
  bool armed_ = false;
  std::string trouble_;
};

} // namespace ringmaster::actors
