// Sessions. They survive a restart, and can be ended by administrators.

#include "storage/sqlite/users/access.hpp"
#include "storage/sqlite/users/audit_row.hpp"

namespace ringmaster::storage::sqlite {

namespace {

constexpr char forget_old[] =
  "DELETE FROM rm_session WHERE digest IN (SELECT digest FROM rm_session WHERE expires_ms <= ?1 ORDER BY expires_ms LIMIT ?2)";
constexpr char insert_session[] = "INSERT INTO rm_session (digest, user_id, password_mark, opened_ms, expires_ms, lifetime_ms, "
                                  "remote) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
constexpr char find_session[] =
  "SELECT user_id, password_mark, expires_ms, lifetime_ms, opened_ms FROM rm_session WHERE digest = ?1 AND expires_ms > ?2";
constexpr char move_end[] = "UPDATE rm_session SET expires_ms = ?2 WHERE digest = ?1 AND expires_ms < ?2";
constexpr char delete_one[] = "DELETE FROM rm_session WHERE digest = ?1";
constexpr char delete_all[] = "DELETE FROM rm_session WHERE user_id = ?1";

} // namespace

int end_sessions(connection& db, core::user_id user) { return db.run(delete_all, user); }

core::result<void> session_role::open(const core::session& opened, std::string_view password_hash, const core::principal& by,
                                      core::time_point now) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<void> {
    const auto user = find_user(db, opened.user);
    if (!user)
      return tl::unexpected{core::no_such_user(opened.user)};
    if (user->password_hash != password_hash)
      return tl::unexpected{core::password_has_changed()};
    db.run(forget_old, now, core::old_sessions_at_once);
    const auto row = core::audit_of_user(by, core::audit_action::sign_in, user->card, {}, now);
    db.run(insert_session, opened.digest, opened.user, core::password_mark(password_hash), opened.opened, opened.expires,
           (opened.expires - opened.opened).count(), row.remote);
    write_audit(db, row);
    return {};
  });
}

core::result<core::found_session> session_role::find(std::string_view digest, core::time_point now) {
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> core::result<core::found_session> {
    auto row = db.prepare(find_session);
    if (!row.with(digest, now).step())
      return tl::unexpected{core::no_session()};
    auto user = find_user(db, row.id<core::user_id>(0));
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
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<void> {
    db.run(move_end, digest, expires);
    return {};
  });
}

core::result<void> session_role::close(std::string_view digest) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<void> {
    db.run(delete_one, digest);
    return {};
  });
}

core::result<std::size_t> session_role::close_all(core::user_id user, const core::principal& by, core::time_point now) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<std::size_t> {
    if (auto own = core::check_own_password(by, user); !own && !by.admin)
      return tl::unexpected{own.error()};
    const auto ended = end_sessions(db, user);
    if (const auto of = find_user(db, user); of && ended > 0)
      write_audit(db, core::audit_of_user(by, core::audit_action::update, of->card,
                                          {"sessions: " + std::to_string(ended) + " ended"}, now));
    return static_cast<std::size_t>(ended);
  });
}

} // namespace ringmaster::storage::sqlite
