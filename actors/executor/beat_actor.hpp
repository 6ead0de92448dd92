#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "actors/logger.hpp"
#include "protocol/caf.hpp"
#include "protocol/executor_interfaces.hpp"
#include "protocol/executor_messages.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

/// Registers this executor when it is spawned (its port is open by then) and again 30 s after the last round was over (XXL wire
/// §4.4), until it is told to end. It never withdraws while a round is under way: that could overtake the registration.
class beat_actor_state {
public:
  static inline const char* name = "ringmaster.beat_actor";

  static constexpr std::chrono::seconds period{30};

  /// `patience`: with one round through the admins.
  beat_actor_state(protocol::beat_actor::pointer self, protocol::admin_link admins, std::string address,
                   std::chrono::milliseconds patience, logger log);
  protocol::beat_actor::behavior_type make_behavior();

private:
  void beat();
  void beaten(const protocol::admin_answer& answer);
  caf::result<void> end();
  void withdraw();

  protocol::beat_actor::pointer self_;
  protocol::admin_link admins_;
  std::string address_;
  std::chrono::milliseconds patience_;
  logger log_;
  bool beating_ = false;
  /// What was said of the last round.
  std::optional<bool> registered_;
  /// Who waits for the end.
  std::optional<caf::typed_response_promise<void>> ending_;
};

} // namespace ringmaster::actors
