// user_admin: settings of the console that users keep.

#include <utility>

#include "actors/console/user_admin.hpp"
#include "actors/store/store_access.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

caf::result<protocol::user_settings_found> user_admin_state::read(const protocol::user_settings_query& asked) {
  auto answer = self_->make_response_promise<protocol::user_settings_found>();
  ask_store<protocol::user_settings_found>(
    self_, stores_.reads,
    [user = asked.by.user](storage::store& store) {
      return store.users().settings(user).map(
        [](core::user_settings&& found) { return protocol::user_settings_found{std::move(found)}; });
    },
    [answer](core::result<protocol::user_settings_found>&& outcome) mutable { deliver(answer, std::move(outcome)); });
  return answer;
}

caf::result<void> user_admin_state::save(protocol::save_user_settings&& asked) {
  if (auto sound = core::check_user_settings(asked.settings); !sound)
    return protocol::to_caf(sound.error());
  auto answer = self_->make_response_promise<void>();
  ask_store<void>(
    self_, stores_.edits,
    [user = asked.by.user, settings = std::move(asked.settings)](storage::store& store) {
      return store.users().save_settings(user, settings);
    },
    [answer](core::result<void>&& outcome) mutable { deliver(answer, std::move(outcome)); });
  return answer;
}

} // namespace ringmaster::actors
