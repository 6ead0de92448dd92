#include "gateway/auth/password_keeper.hpp"

#include <utility>

#include "gateway/auth/secrets.hpp"
#include "protocol/error.hpp"

namespace ringmaster::gateway {

protocol::password_keeper::behavior_type password_keeper_state::make_behavior() {
  return {
    [](const protocol::check_password& question) { return check(question); },
    [](const protocol::hash_password& command) { return hash(command); },
  };
}

caf::result<protocol::password_verdict> password_keeper_state::check(const protocol::check_password& question) {
  protocol::password_verdict verdict;
  verdict.right = is_password(question.given, question.stored);
  verdict.known = verdict.right && core::is_known_password(question.given);
  if (is_strong(question.stored))
    return verdict;
  // Takes as long as an Argon2id check, also for an unknown name: the time reveals no names, whatever forms are in the table.
  if (question.form != core::password_form::argon2id || !verdict.right || verdict.known) {
    spend_a_check(question.given);
    return verdict;
  }
  auto better = stored_password(question.given, question.form);
  if (!better)
    return protocol::to_caf(better.error());
  verdict.better = std::move(*better);
  return verdict;
}

caf::result<protocol::hashed_password> password_keeper_state::hash(const protocol::hash_password& command) {
  auto stored = stored_password(command.given, command.form);
  if (!stored)
    return protocol::to_caf(stored.error());
  return protocol::hashed_password{std::move(*stored)};
}

} // namespace ringmaster::gateway
