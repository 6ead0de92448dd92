// Reads of users. Names are compared without case, regardless of the table's collation.

#include <algorithm>

#include "storage/admin/access.hpp"

namespace ringmaster::storage {

namespace {

#define RINGMASTER_USER_COLUMNS "SELECT id, username, password, role, permission FROM xxl_job_user"
#define RINGMASTER_USER_FILTER                                                                                                   \
  " WHERE (? = '' OR INSTR(LOWER($utf8(username)) $by_bytes, LOWER(?)) > 0) AND (? < 0 OR (role = 1) = ?)"

core::user_secret read_user_row(const sql_rows& row) {
  core::user_secret user;
  user.card.id = row.id<core::user_id>(0);
  user.card.name = row.string(1);
  user.password_hash = row.string(2);
  user.card.admin = row.number(3) == 1;
  user.card.rights = core::listed_rights(row.text(4));
  return user;
}

/// Adds the finer permissions of users, which are in ascending order.
void add_finer_rights(admin_session& own, std::vector<core::user_card>& cards) {
  if (cards.empty())
    return;
  auto finer = own.query("SELECT user_id, group_id, right_name FROM rm_group_right WHERE user_id BETWEEN ? AND ?"
                         " ORDER BY user_id, group_id",
                         cards.front().id, cards.back().id);
  auto card = cards.begin();
  while (finer.next()) {
    const auto user = finer.id<core::user_id>(0);
    card = std::find_if(card, cards.end(), [user](const auto& each) { return each.id >= user; });
    if (card == cards.end())
      return;
    if (const auto right = core::find_group_right(finer.text(2)); right && card->id == user)
      core::add_right(card->rights, finer.id<core::group_id>(1), *right);
  }
}

std::optional<core::user_secret> first_of(admin_session& own, sql_rows found) {
  if (!found.next())
    return std::nullopt;
  auto user = read_user_row(found);
  std::vector<core::user_card> one{std::move(user.card)};
  add_finer_rights(own, one);
  user.card = std::move(one.front());
  return user;
}

} // namespace

std::optional<core::user_secret> find_user(admin_session& own, std::string_view name) {
  return first_of(own, own.query(RINGMASTER_USER_COLUMNS " WHERE LOWER($utf8(username)) $by_bytes = LOWER(?)"
                                                         " ORDER BY $utf8(username) $by_bytes <> ?, id LIMIT 1",
                                 name, name));
}

std::optional<core::user_secret> find_user(admin_session& own, core::user_id user) {
  return first_of(own, own.query(RINGMASTER_USER_COLUMNS " WHERE id = ?", user));
}

std::optional<core::user_secret> held_user(admin_session& own, core::user_id user) {
  return first_of(own, own.query(RINGMASTER_USER_COLUMNS " WHERE id = ? $for_update", user));
}

core::principal as_now(admin_session& own, const core::principal& by) {
  auto self = by;
  if (by.user == core::user_id{})
    return self;
  const auto user = find_user(own, by.user);
  self.admin = by.admin && user && user->card.admin;
  self.user = user ? by.user : core::user_id{};
  return self;
}

core::result<core::user_secret> user_role::find(std::string_view name) {
  return own_.read([&]() -> core::result<core::user_secret> {
    auto user = find_user(own_, name);
    if (!user)
      return tl::unexpected{core::no_such_user(name)};
    return std::move(*user);
  });
}

core::result<core::user_secret> user_role::read(core::user_id user) {
  return own_.read([&]() -> core::result<core::user_secret> {
    auto found = find_user(own_, user);
    if (!found)
      return tl::unexpected{core::no_such_user(user)};
    return std::move(*found);
  });
}

core::result<core::page<core::user_card>> user_role::page(const core::user_search& search) {
  return own_.read_together([&]() -> core::result<core::page<core::user_card>> {
    const std::int32_t role = search.admin ? (*search.admin ? 1 : 0) : -1;
    const auto& [name, admin, window] = search;
    core::page<core::user_card> out;
    auto found = own_.query(RINGMASTER_USER_COLUMNS RINGMASTER_USER_FILTER " ORDER BY id LIMIT ? OFFSET ?", name, name, role,
                            role, std::min(window.limit, core::page_rows_max), window.offset);
    while (found.next())
      out.rows.push_back(read_user_row(found).card);
    add_finer_rights(own_, out.rows);
    auto count = own_.query("SELECT COUNT(*) FROM xxl_job_user" RINGMASTER_USER_FILTER, name, name, role, role);
    if (count.next())
      out.total = count.number(0);
    return out;
  });
}

#undef RINGMASTER_USER_FILTER
#undef RINGMASTER_USER_COLUMNS

} // namespace ringmaster::storage
