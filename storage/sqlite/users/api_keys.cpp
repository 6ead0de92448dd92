// API keys.

#include <algorithm>

#include "core/page.hpp"
#include "core/rules/audit_rules.hpp"
#include "storage/sqlite/users/access.hpp"
#include "storage/sqlite/users/audit_row.hpp"

namespace ringmaster::storage::sqlite {

namespace {

#define RINGMASTER_KEY_COLUMNS                                                                                                   \
  "SELECT k.id, k.name, k.user_id, u.username, k.created_ms, k.expires_ms, k.used_ms FROM rm_api_key k "                         \
  "LEFT JOIN xxl_job_user u ON u.id = k.user_id "
constexpr char insert_key[] = "INSERT INTO rm_api_key (name, digest, user_id, created_ms, expires_ms, used_ms) "
                              "VALUES (?1, ?2, ?3, ?4, ?5, 0)";
constexpr char is_known[] = "SELECT 1 FROM rm_api_key WHERE digest = ?1";
constexpr char count_of[] = "SELECT COUNT(*) FROM rm_api_key WHERE user_id = ?1";
constexpr char read_key_row[] = RINGMASTER_KEY_COLUMNS "WHERE k.id = ?1";
constexpr char read_by_digest[] = RINGMASTER_KEY_COLUMNS "WHERE k.digest = ?1 AND (k.expires_ms = 0 OR k.expires_ms > ?2)";
constexpr char list_all_keys[] = RINGMASTER_KEY_COLUMNS "WHERE k.id > ?1 ORDER BY k.id LIMIT ?2";
constexpr char list_own[] = RINGMASTER_KEY_COLUMNS "WHERE k.user_id = ?3 AND k.id > ?1 ORDER BY k.id LIMIT ?2";
#undef RINGMASTER_KEY_COLUMNS
constexpr char delete_key[] = "DELETE FROM rm_api_key WHERE id = ?1";
constexpr char delete_keys_of[] = "DELETE FROM rm_api_key WHERE user_id = ?1";
constexpr char write_use[] = "UPDATE rm_api_key SET used_ms = ?2 WHERE id = ?1 AND used_ms <= ?3";

std::optional<core::time_point> time_or_none(const statement& row, int column) {
  return row.number(column) == 0 ? std::nullopt : std::optional{row.time_ms(column)};
}

core::api_key read_key(const statement& row) {
  return {row.id<core::api_key_id>(0), std::string{row.text(1)},  row.id<core::user_id>(2), std::string{row.text(3)},
          row.time_ms(4),              time_or_none(row, 5), time_or_none(row, 6)};
}

/// Returns the principal with its present permissions, which may be fewer than when the request began.
core::principal as_now(connection& db, const core::principal& by) {
  auto self = by;
  if (by.user == core::user_id{})
    return self;
  const auto user = find_user(db, by.user);
  self.admin = by.admin && user && user->card.admin;
  self.user = user ? by.user : core::user_id{};
  return self;
}

std::int64_t count_keys(connection& db, core::user_id user) {
  auto row = db.prepare(count_of);
  return row.with(user).step() ? row.number(0) : 0;
}

bool is_there(connection& db, std::string_view digest) {
  auto row = db.prepare(is_known);
  return row.with(digest).step();
}

} // namespace

void remove_keys(connection& db, core::user_id user) { db.run(delete_keys_of, user); }

core::result<core::api_key_id> api_key_role::add(const core::api_key_draft& draft, const core::principal& by,
                                                 core::time_point now) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<core::api_key_id> {
    if (auto allowed = core::check_keys_of(as_now(db, by), draft.user); !allowed)
      return tl::unexpected{allowed.error()};
    if (auto sound = core::check_draft(draft, now); !sound)
      return tl::unexpected{sound.error()};
    const auto user = find_user(db, draft.user);
    if (!user)
      return tl::unexpected{core::no_such_user(draft.user)};
    if (auto few = core::check_key_count(count_keys(db, draft.user)); !few)
      return tl::unexpected{few.error()};
    if (is_there(db, draft.digest))
      return tl::unexpected{core::key_is_taken()};
    db.run(insert_key, draft.name, draft.digest, draft.user, now, draft.expires.value_or(core::time_point{}));
    const core::api_key_id id{db.last_id()};
    write_audit(db, core::audit_of(by, core::audit_action::add, core::audit_object::api_key, core::number(id), draft.name,
                             core::changes_of(draft, user->card), now));
    return id;
  });
}

core::result<std::vector<core::api_key>> api_key_role::list(const core::api_key_search& search, const core::principal& by) {
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> core::result<std::vector<core::api_key>> {
    const auto self = as_now(db, by);
    const auto user = self.admin ? search.user : search.user.value_or(self.user);
    if (user)
      if (auto allowed = core::check_keys_of(self, *user); !allowed)
        return tl::unexpected{allowed.error()};
    const auto limit = std::min(search.limit, core::page_rows_max);
    auto row = db.prepare(user ? list_own : list_all_keys);
    if (user)
      row.with(search.after, limit, *user);
    else
      row.with(search.after, limit);
    std::vector<core::api_key> keys;
    while (row.step())
      keys.push_back(read_key(row));
    return keys;
  });
}

core::result<void> api_key_role::remove(core::api_key_id key, const core::principal& by, core::time_point now) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<void> {
    std::optional<core::api_key> before;
    if (auto row = db.prepare(read_key_row); row.with(key).step())
      before = read_key(row);
    if (!before)
      return tl::unexpected{core::no_such_key()};
    if (auto allowed = core::check_keys_of(as_now(db, by), before->user); !allowed)
      return allowed;
    db.run(delete_key, key);
    write_audit(db, core::audit_of(by, core::audit_action::remove, core::audit_object::api_key, core::number(key), before->name,
                             {"user: " + before->user_name}, now));
    return {};
  });
}

core::result<core::found_api_key> api_key_role::find(std::string_view digest, core::time_point now) {
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> core::result<core::found_api_key> {
    auto row = db.prepare(read_by_digest);
    if (!row.with(digest, now).step())
      return tl::unexpected{core::no_such_key()};
    const auto key = read_key(row);
    auto user = find_user(db, key.user);
    if (!user)
      return tl::unexpected{core::no_such_key()};
    return core::found_api_key{key.id,
                               {user->card.id, std::move(user->card.name), user->card.admin, std::move(user->card.rights)},
                               key.expires,
                               key.used};
  });
}

core::result<void> api_key_role::used(core::api_key_id key, core::time_point now) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<void> {
    db.run(write_use, key, now, now - core::api_key_use_step);
    return {};
  });
}

} // namespace ringmaster::storage::sqlite
