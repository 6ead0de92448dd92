#pragma once

#include "protocol/admin_messages.hpp"
#include "protocol/caf.hpp"

namespace ringmaster::gateway {

/// Actor that makes and checks stored forms of passwords. Spawned detached, because a check is slow on purpose. It makes one
/// check at a time, so that many sign-ins at once take neither all memory nor all processors. Every check takes the time of an
/// Argon2id check, which reveals neither whether a user exists nor how a password is stored.
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
