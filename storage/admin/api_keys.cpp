// API keys.

#include <algorithm>

#include "core/page.hpp"
#include "core/rules/audit_rules.hpp"
#include "storage/admin/access.hpp"
#include "storage/admin/audit_row.hpp"

namespace ringmaster::storage {

namespace {

#define RINGMASTER_KEY_COLUMNS                                                                                                   \
  "SELECT k.id, k.name, k.user_id, u.username, k.created_ms, k.expires_ms, k.used_ms FROM rm_api_key k"                          \
  " LEFT JOIN xxl_job_user u ON u.id = k.user_id "

std::optional<core::time_point> optional_time(const sql_rows& row, unsigned column) {
  return row.number(column) == 0 ? std::nullopt : std::optional{row.time_ms(column)};
}

core::api_key read_key(const sql_rows& row) {
  return {row.id<core::api_key_id>(0), row.string(1),        row.id<core::user_id>(2), row.string(3), row.time_ms(4),
          optional_time(row, 5),        optional_time(row, 6)};
}

std::int64_t count_keys(admin_session& own, core::user_id user) {
  auto row = own.query("SELECT COUNT(*) FROM rm_api_key WHERE user_id = ?", user);
  return row.next() ? row.number(0) : 0;
}

} // namespace

core::result<core::api_key_id> api_key_role::add(const core::api_key_draft& draft, const core::principal& by,
                                                 core::time_point now) {
  return own_.edit([&]() -> core::result<core::api_key_id> {
    const auto user = held_user(own_, draft.user);
    if (auto allowed = core::check_keys_of(as_now(own_, by), draft.user); !allowed)
      return tl::unexpected{allowed.error()};
    if (auto sound = core::check_draft(draft, now); !sound)
      return tl::unexpected{sound.error()};
    if (!user)
      return tl::unexpected{core::no_such_user(draft.user)};
    if (auto few = core::check_key_count(count_keys(own_, draft.user)); !few)
      return tl::unexpected{few.error()};
    if (own_.finds("SELECT 1 FROM rm_api_key WHERE digest = ?", draft.digest))
      return tl::unexpected{core::key_is_taken()};
    const auto id = own_.insert<core::api_key_id>(
      "INSERT INTO rm_api_key (name, digest, user_id, created_ms, expires_ms, used_ms) VALUES (?, ?, ?, ?, ?, 0)", draft.name,
      draft.digest, draft.user, now, draft.expires.value_or(core::time_point{}));
    write_audit(own_, core::audit_of(by, core::audit_action::add, core::audit_object::api_key, core::number(id), draft.name,
                                  core::changes_of(draft, user->card), now));
    return id;
  });
}

core::result<std::vector<core::api_key>> api_key_role::list(const core::api_key_search& search, const core::principal& by) {
  return own_.read([&]() -> core::result<std::vector<core::api_key>> {
    const auto self = as_now(own_, by);
    const auto user = self.admin ? search.user : search.user.value_or(self.user);
    if (user)
      if (auto allowed = core::check_keys_of(self, *user); !allowed)
        return tl::unexpected{allowed.error()};
    const auto limit = std::min(search.limit, core::page_rows_max);
    auto row = user ? own_.query(RINGMASTER_KEY_COLUMNS "WHERE k.user_id = ? AND k.id > ? ORDER BY k.id LIMIT ?", *user,
                                 search.after, limit)
                    : own_.query(RINGMASTER_KEY_COLUMNS "WHERE k.id > ? ORDER BY k.id LIMIT ?", search.after, limit);
    std::vector<core::api_key> keys;
    while (row.next())
      keys.push_back(read_key(row));
    return keys;
  });
}

core::result<void> api_key_role::remove(core::api_key_id key, const core::principal& by, core::time_point now) {
  return own_.edit([&]() -> core::result<void> {
    std::optional<core::api_key> before;
    if (auto row = own_.query(RINGMASTER_KEY_COLUMNS "WHERE k.id = ?", key); row.next())
      before = read_key(row);
    if (!before)
      return tl::unexpected{core::no_such_key()};
    if (auto allowed = core::check_keys_of(as_now(own_, by), before->user); !allowed)
      return allowed;
    if (own_.execute("DELETE FROM rm_api_key WHERE id = ?", key) == 0)
      return tl::unexpected{core::no_such_key()};
    write_audit(own_, core::audit_of(by, core::audit_action::remove, core::audit_object::api_key, core::number(key),
                                        before->name, {"user: " + before->user_name}, now));
    return {};
  });
}

core::result<core::found_api_key> api_key_role::find(std::string_view digest, core::time_point now) {
  return own_.read([&]() -> core::result<core::found_api_key> {
    std::optional<core::api_key> key;
    if (auto row = own_.query(
          RINGMASTER_KEY_COLUMNS "WHERE k.digest = ? AND (k.expires_ms = 0 OR k.expires_ms > ?)", digest, now);
        row.next())
      key = read_key(row);
    auto user = key ? find_user(own_, key->user) : std::nullopt;
    if (!user)
      return tl::unexpected{core::no_such_key()};
    return core::found_api_key{key->id,
                               {user->card.id, std::move(user->card.name), user->card.admin, std::move(user->card.rights)},
                               key->expires,
                               key->used};
  });
}

core::result<void> api_key_role::used(core::api_key_id key, core::time_point now) {
  return own_.change([&]() -> core::result<void> {
    own_.execute("UPDATE rm_api_key SET used_ms = ? WHERE id = ? AND used_ms <= ?", now, key, now - core::api_key_use_step);
    return {};
  });
}

#undef RINGMASTER_KEY_COLUMNS

} // namespace ringmaster::storage
