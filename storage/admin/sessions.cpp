// Sessions. They survive a restart, are valid on every node, and can be ended by administrators.

#include <algorithm>

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

#define RINGMASTER_SESSION_COLUMNS                                                                                               \
  "SELECT s.digest, s.user_id, u.username, s.opened_ms, s.expires_ms, s.remote, s.lifetime_ms, s.password_mark, u.password"      \
  " FROM rm_session s JOIN xxl_job_user u ON u.id = s.user_id"

/// `expires` is as long after the last recorded use as the session may be unused, unless it is the end of the longest session.
core::open_session read_session(const sql_rows& row, core::milliseconds max_age) {
  core::open_session out{core::session_id_of(row.text(0)), row.id<core::user_id>(1), row.string(2),
                         row.time_ms(3),                   row.time_ms(4),           std::nullopt, row.string(5)};
  if (out.expires < out.opened + max_age)
    out.used = std::max(out.opened, out.expires - core::milliseconds{row.number(6)});
  return out;
}

/// A session from before the user's present password has ended, although its row is there when another program changed it.
bool is_of_present_password(const sql_rows& row) { return row.text(7) == core::password_mark(row.text(8)); }

std::optional<core::session> find_session(admin_session& own, core::session_id id) {
  const auto prefix = core::digest_prefix_of(id);
  // All digits sort before "g".
  auto row = own.query("SELECT digest, user_id, remote FROM rm_session WHERE digest BETWEEN ? AND ? ORDER BY digest LIMIT 1",
                       prefix, prefix + "g");
  if (!row.next() || core::session_id_of(row.text(0)) != id)
    return std::nullopt;
  core::session found;
  found.digest = row.string(0);
  found.user = row.id<core::user_id>(1);
  found.remote = row.string(2);
  return found;
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
    const auto how = opened.by_link ? std::vector<core::audit_line>{"one-time link: used"} : std::vector<core::audit_line>{};
    const auto row = core::audit_of_user(by, core::audit_action::sign_in, user->card, how, now);
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

core::result<core::page<core::open_session>> session_role::page(const core::session_search& search, const core::principal& by,
                                                                core::time_point now) {
  return own_.read_together([&]() -> core::result<core::page<core::open_session>> {
    const auto self = as_now(own_, by);
    const auto user = self.admin ? search.user : search.user.value_or(self.user);
    if (user)
      if (auto allowed = core::check_sessions_of(self, *user); !allowed)
        return tl::unexpected{allowed.error()};
    const auto& [offset, limit] = search.window;
    auto row = own_.query(RINGMASTER_SESSION_COLUMNS " WHERE s.expires_ms > ? AND s.opened_ms > ? AND (? = 0 OR s.user_id = ?)"
                                                     " ORDER BY s.opened_ms DESC, s.digest LIMIT ?",
                          now, now - search.max_age, user.value_or(core::user_id{}), user.value_or(core::user_id{}),
                          core::page_rows_max);
    core::page<core::open_session> out;
    for (std::size_t read = 0; row.next();) {
      out.total_is_capped = ++read >= core::page_rows_max;
      if (!is_of_present_password(row))
        continue;
      const auto place = static_cast<std::size_t>(out.total++);
      if (place >= offset && place - offset < limit)
        out.rows.push_back(read_session(row, search.max_age));
    }
    return out;
  });
}

core::result<void> session_role::end(core::session_id session, const core::principal& by, core::time_point now) {
  return own_.edit([&]() -> core::result<void> {
    const auto found = find_session(own_, session);
    if (!found)
      return tl::unexpected{core::no_session()};
    if (auto allowed = core::check_sessions_of(as_now(own_, by), found->user); !allowed)
      return allowed;
    if (own_.execute("DELETE FROM rm_session WHERE digest = ?", found->digest) == 0)
      return tl::unexpected{core::no_session()};
    const auto user = find_user(own_, found->user);
    write_audit(own_, core::audit_of_user(by, core::audit_action::update, user ? user->card : core::user_card{found->user, {}},
                                         {core::remark_line("sessions: 1 ended, opened from " + found->remote)}, now));
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

#undef RINGMASTER_SESSION_COLUMNS

} // namespace ringmaster::storage
