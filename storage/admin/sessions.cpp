// Sessions. They survive a restart, are valid on every node, and can be ended by administrators.

#include "storage/admin/access.hpp"
#include "storage/admin/audit_row.hpp"

namespace ringmaster::storage {

namespace {

/// Deletes by key, so that no lock is held on valid sessions.
void forget_old_sessions(admin_session& own, core::time_point now) {
  std::vector<std::string> over;
  auto found =
    own.query("SELECT digest FROM rm_session WHERE expires_ms <= ? ORDER BY expires_ms LIMIT ?", now, core::old_sessions_at_once);
  while (found.next())
    over.push_back(found.string(0));
  for (const auto& digest : over)
    own.execute("DELETE FROM rm_session WHERE digest = ?", digest);
}

} // namespace

std::uint64_t end_sessions(admin_session& own, core::user_id user) {
  // Ends the sign-in that Java admins keep in the user's row.
  if (own.facts().user_token)
    own.execute("UPDATE xxl_job_user SET token = '' WHERE id = ? AND token <> ''", user);
  return own.execute("DELETE FROM rm_session WHERE user_id = ?", user);
}

core::result<void> session_role::open(const core::session& opened, std::string_view password_hash, const core::principal& by,
                                      core::time_point now) {
  return own_.edit([&]() -> core::result<void> {
    // Locks the user: a concurrent change of the password or removal of the user either ends this session, too, or is seen here.
    const auto user = held_user(own_, opened.user);
    if (!user)
      return tl::unexpected{core::no_such_user(opened.user)};
    if (user->password_hash != password_hash)
      return tl::unexpected{core::password_has_changed()};
    forget_old_sessions(own_, now);
    const auto row = core::audit_of_user(by, core::audit_action::sign_in, user->card, {}, now);
    own_.execute("INSERT INTO rm_session (digest, user_id, password_mark, opened_ms, expires_ms, lifetime_ms, remote)"
                 " VALUES (?, ?, ?, ?, ?, ?, ?)",
                 opened.digest, opened.user, core::password_mark(password_hash), opened.opened, opened.expires,
                 std::int64_t{(opened.expires - opened.opened).count()}, row.remote);
    write_audit(own_, row);
    return {};
  });
}

core::result<core::found_session> session_role::find(std::string_view digest, core::time_point now) {
  return own_.read([&]() -> core::result<core::found_session> {
    auto row = own_.query("SELECT user_id, password_mark, expires_ms, lifetime_ms, opened_ms FROM rm_session"
                          " WHERE digest = ? AND expires_ms > ?",
                          digest, now);
    if (!row.next())
      return tl::unexpected{core::no_session()};
    auto user = find_user(own_, row.id<core::user_id>(0));
    if (!user || row.text(1) != core::password_mark(user->password_hash))
      return tl::unexpected{core::no_session()};
    return core::found_session{{user->card.id, std::move(user->card.name), user->card.admin, std::move(user->card.rights)},
                               core::is_known_hash(user->password_hash),
                               row.time_ms(4),
                               row.time_ms(2),
                               core::milliseconds{row.number(3)}};
  });
}

core::result<void> session_role::prolong(std::string_view digest, core::time_point expires) {
  return own_.change([&]() -> core::result<void> {
    own_.execute("UPDATE rm_session SET expires_ms = ? WHERE digest = ? AND expires_ms < ?", expires, digest, expires);
    return {};
  });
}

core::result<void> session_role::close(std::string_view digest) {
  return own_.change([&]() -> core::result<void> {
    own_.execute("DELETE FROM rm_session WHERE digest = ?", digest);
    return {};
  });
}

core::result<std::size_t> session_role::close_all(core::user_id user, const core::principal& by, core::time_point now) {
  return own_.edit([&]() -> core::result<std::size_t> {
    if (auto allowed = core::check_own_password(by, user); !allowed && !by.admin)
      return tl::unexpected{allowed.error()};
    const auto of = held_user(own_, user);
    const auto ended = end_sessions(own_, user);
    if (of && ended > 0)
      write_audit(own_, core::audit_of_user(by, core::audit_action::update, of->card,
                                         {"sessions: " + std::to_string(ended) + " ended"}, now));
    return static_cast<std::size_t>(ended);
  });
}

} // namespace ringmaster::storage
