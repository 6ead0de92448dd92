// user_admin: the list of open sessions, and their end by their user or an administrator.

#include <utility>

#include "actors/console/user_admin.hpp"
#include "actors/store/store_access.hpp"
#include "core/access/session.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

caf::result<protocol::session_page> user_admin_state::list(protocol::session_query&& asked) {
  asked.search.max_age = settings_.session_max_age;
  std::optional<core::session_id> current;
  if (!asked.current.empty() && asked.current.size() <= token_bytes_max)
    current = core::session_id_of(tokens_.digest(asked.current));
  auto answer = self_->make_response_promise<protocol::session_page>();
  ask_store<protocol::session_page>(
    self_, stores_.reads,
    [search = asked.search, by = std::move(asked.by), current, t = now()](storage::store& store) {
      return store.sessions().page(search, by, t).map([&](auto&& page) {
        return protocol::session_page{std::move(page), current};
      });
    },
    [answer](core::result<protocol::session_page>&& outcome) mutable { deliver(answer, std::move(outcome)); });
  return answer;
}

caf::result<void> user_admin_state::end(const protocol::end_session& asked) {
  auto answer = self_->make_response_promise<void>();
  ask_store<void>(
    self_, stores_.edits,
    [asked, t = now()](storage::store& store) { return store.sessions().end(asked.session, asked.by, t); },
    [this, asked, answer](core::result<void>&& outcome) mutable {
      if (outcome)
        log_->info("session {} ended by {}", core::number(asked.session), asked.by.name);
      // Also when the answer was lost: the session may have ended.
      sessions_.end_with_prefix(core::digest_prefix_of(asked.session));
      deliver(answer, std::move(outcome));
    });
  return answer;
}

} // namespace ringmaster::actors
