#pragma once

#include "protocol/admin_messages.hpp"
#include "protocol/caf.hpp"

namespace ringmaster::gateway {

/// Makes and checks stored forms of passwords. Spawned detached, because a check takes long on purpose; one at a time, so that
/// many sign-ins at once neither take all memory nor all processors. Every check takes the time of an Argon2id one: it tells
/// neither whether a user exists nor how a password is stored.
class password_keeper_state {
public:
  static inline const char* name = "ringmaster.password_keeper";

  explicit password_keeper_state(protocol::password_keeper::pointer) {}
  protocol::password_keeper::behavior_type make_behavior();

private:
  static caf::result<protocol::password_verdict> check(const protocol::check_password& question);
  static caf::result<protocol::hashed_password> hash(const protocol::hash_password& command);
};

} // namespace ringmaster::gateway
