// Reads of users. Names are compared without case; SQLite's own comparison does this for ASCII letters.

#include <algorithm>

#include "storage/sqlite/users/access.hpp"

namespace ringmaster::storage::sqlite {

namespace {

#define RINGMASTER_USER_COLUMNS "SELECT id, username, password, role, permission FROM xxl_job_user "
#define RINGMASTER_USER_FILTER "WHERE (?1 = '' OR instr(lower(username), lower(?1)) > 0) AND (?2 < 0 OR (role = 1) = ?2) "

constexpr char by_name[] =
  RINGMASTER_USER_COLUMNS "WHERE username = ?1 COLLATE NOCASE ORDER BY username <> ?1 COLLATE BINARY, id LIMIT 1";
constexpr char by_id[] = RINGMASTER_USER_COLUMNS "WHERE id = ?1";
constexpr char one_page[] = RINGMASTER_USER_COLUMNS RINGMASTER_USER_FILTER "ORDER BY id LIMIT ?3 OFFSET ?4";
constexpr char count_all_users[] = "SELECT COUNT(*) FROM xxl_job_user " RINGMASTER_USER_FILTER;
constexpr char list_finer[] =
  "SELECT user_id, group_id, right_name FROM rm_group_right WHERE user_id BETWEEN ?1 AND ?2 ORDER BY user_id, group_id";

#undef RINGMASTER_USER_FILTER
#undef RINGMASTER_USER_COLUMNS

core::user_secret read_user_row(const statement& row) {
  core::user_secret user;
  user.card.id = row.id<core::user_id>(0);
  user.card.name = row.text(1);
  user.password_hash = row.text(2);
  user.card.admin = row.number(3) == 1;
  user.card.rights = core::listed_rights(row.text(4));
  return user;
}

/// Adds the finer permissions of users, which are in ascending order.
void add_finer_rights(connection& db, std::vector<core::user_card>& cards) {
  if (cards.empty())
    return;
  auto finer = db.prepare(list_finer);
  finer.with(cards.front().id, cards.back().id);
  auto card = cards.begin();
  while (finer.step()) {
    const auto user = finer.id<core::user_id>(0);
    card = std::find_if(card, cards.end(), [user](const auto& each) { return each.id >= user; });
    if (card == cards.end())
      return;
    if (const auto right = core::find_group_right(finer.text(2)); right && card->id == user)
      core::add_right(card->rights, finer.id<core::group_id>(1), *right);
  }
}

std::optional<core::user_secret> with_rights(connection& db, std::optional<core::user_secret> user) {
  if (user) {
    std::vector<core::user_card> one{std::move(user->card)};
    add_finer_rights(db, one);
    user->card = std::move(one.front());
  }
  return user;
}

template <class Key>
std::optional<core::user_secret> find_by(connection& db, const char* sql, const Key& key) {
  std::optional<core::user_secret> found;
  auto row = db.prepare(sql);
  if (row.with(key).step())
    found = read_user_row(row);
  return with_rights(db, std::move(found));
}

} // namespace

std::optional<core::user_secret> find_user(connection& db, std::string_view name) { return find_by(db, by_name, name); }
std::optional<core::user_secret> find_user(connection& db, core::user_id user) { return find_by(db, by_id, user); }

core::result<core::user_secret> user_role::find(std::string_view name) {
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> core::result<core::user_secret> {
    auto user = find_user(db, name);
    if (!user)
      return tl::unexpected{core::no_such_user(name)};
    return std::move(*user);
  });
}

core::result<core::user_secret> user_role::read(core::user_id user) {
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> core::result<core::user_secret> {
    auto found = find_user(db, user);
    if (!found)
      return tl::unexpected{core::no_such_user(user)};
    return std::move(*found);
  });
}

core::result<core::page<core::user_card>> user_role::page(const core::user_search& search) {
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> core::result<core::page<core::user_card>> {
    const std::int32_t role = search.admin ? (*search.admin ? 1 : 0) : -1;
    core::page<core::user_card> out;
    {
      auto rows = db.prepare(one_page);
      rows.with(search.name_part, role, std::min(search.window.limit, core::page_rows_max), search.window.offset);
      while (rows.step())
        out.rows.push_back(read_user_row(rows).card);
    }
    add_finer_rights(db, out.rows);
    auto count = db.prepare(count_all_users);
    if (count.with(search.name_part, role).step())
      out.total = count.number(0);
    return out;
  });
}

} // namespace ringmaster::storage::sqlite
