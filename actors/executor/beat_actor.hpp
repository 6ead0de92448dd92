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

/// The registration of an executor.
struct beat_identity {
  std::string app_name;
  std::string address;
};

/// Registers this executor when spawned (its port is open by then) and again 30 s after the end of each round (XXL wire §4.4),
/// until its end is requested. It never withdraws during a round, because the withdrawal could overtake the registration.
class beat_actor_state {
public:
  static inline const char* name = "ringmaster.beat_actor";

  static constexpr std::chrono::seconds period{30};

  /// `patience`: time limit of one round through the admins.
  beat_actor_state(protocol::beat_actor::pointer self, protocol::admin_link admins, beat_identity who,
                   std::chrono::milliseconds patience, logger log);
  protocol::beat_actor::behavior_type make_behavior();

private:
  void beat();
  void beaten(const protocol::admin_answer& answer);
  caf::result<void> end();
  void withdraw();

  protocol::beat_actor::pointer self_;
  protocol::admin_link admins_;
  beat_identity who_;
  std::chrono::milliseconds patience_;
  logger log_;
  bool beating_ = false;
  /// Result of the last round that was logged.
  std::optional<bool> registered_;
  /// The pending response to the request to end.
  std::optional<caf::typed_response_promise<void>> ending_;
};

} // namespace ringmaster::actors
