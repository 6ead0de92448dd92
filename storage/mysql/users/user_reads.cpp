// Reads of users. Names are compared without case, regardless of the table's collation.

#include <algorithm>

#include "storage/mysql/cluster/schedule_lock.hpp"
#include "storage/mysql/users/access.hpp"

namespace ringmaster::storage::mysql {

namespace {

/// Length of `$argon2id$` hashes with our parameters.
constexpr std::size_t argon2id_chars = 97;
constexpr std::size_t sha256_chars = 64;

constexpr const char* user_columns = "SELECT id, username, password, role, permission FROM xxl_job_user";

#define RINGMASTER_USER_FILTER                                                                                                   \
  " WHERE (? = '' OR INSTR(LOWER(CONVERT(username USING utf8mb4)) COLLATE utf8mb4_bin, LOWER(?)) > 0)"                           \
  " AND (? < 0 OR (role = 1) = ?)"

core::user_secret read_user_row(const rows& row) {
  core::user_secret user;
  user.card.id = row.id<core::user_id>(0);
  user.card.name = row.string(1);
  user.password_hash = row.string(2);
  user.card.admin = row.number(3) == 1;
  user.card.rights = core::listed_rights(row.text(4));
  return user;
}

/// Adds the finer permissions of users, which are in ascending order.
void add_finer_rights(connection& db, std::vector<core::user_card>& cards) {
  if (cards.empty())
    return;
  auto finer = db.query("SELECT user_id, group_id, right_name FROM rm_group_right WHERE user_id BETWEEN ? AND ?"
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

std::optional<core::user_secret> first_of(connection& db, rows found) {
  if (!found.next())
    return std::nullopt;
  auto user = read_user_row(found);
  std::vector<core::user_card> one{std::move(user.card)};
  add_finer_rights(db, one);
  user.card = std::move(one.front());
  return user;
}

} // namespace

std::optional<core::user_secret> find_user(connection& db, std::string_view name) {
  return first_of(db, db.query({user_columns, " WHERE LOWER(CONVERT(username USING utf8mb4)) COLLATE utf8mb4_bin = LOWER(?)"
                                              " ORDER BY CONVERT(username USING utf8mb4) COLLATE utf8mb4_bin <> ?, id LIMIT 1"},
                               name, name));
}

std::optional<core::user_secret> find_user(connection& db, core::user_id user) {
  return first_of(db, db.query({user_columns, " WHERE id = ?"}, user));
}

std::optional<core::user_secret> held_user(connection& db, core::user_id user) {
  return first_of(db, db.query({user_columns, " WHERE id = ? FOR UPDATE"}, user));
}

core::result<core::password_form> user_role::password_form() {
  return own_.db.read([this]() -> core::result<core::password_form> {
    // The step has another name where the tables were found.
    const bool ours = own_.db.query("SELECT 1 FROM rm_migration WHERE number = 1 AND name = 'xxl_tables'").next();
    if (ours && own_.shape.password_chars >= argon2id_chars && is_native(own_.db))
      return core::password_form::argon2id;
    return own_.shape.user_token && own_.shape.password_chars >= sha256_chars ? core::password_form::sha256
                                                                              : core::password_form::md5;
  });
}

core::result<core::user_secret> user_role::find(std::string_view name) {
  return own_.db.read([&]() -> core::result<core::user_secret> {
    auto user = find_user(own_.db, name);
    if (!user)
      return tl::unexpected{core::no_such_user(name)};
    return std::move(*user);
  });
}

core::result<core::user_secret> user_role::read(core::user_id user) {
  return own_.db.read([&]() -> core::result<core::user_secret> {
    auto found = find_user(own_.db, user);
    if (!found)
      return tl::unexpected{core::no_such_user(user)};
    return std::move(*found);
  });
}

core::result<core::page<core::user_card>> user_role::page(const core::user_search& search) {
  return own_.db.transact([&]() -> core::result<core::page<core::user_card>> {
    const std::int32_t role = search.admin ? (*search.admin ? 1 : 0) : -1;
    core::page<core::user_card> out;
    auto found = own_.db.query(
      {user_columns, RINGMASTER_USER_FILTER " ORDER BY id LIMIT ? OFFSET ?"},
      search.name_part, search.name_part, role, role, std::min(search.window.limit, core::page_rows_max), search.window.offset);
    while (found.next())
      out.rows.push_back(read_user_row(found).card);
    add_finer_rights(own_.db, out.rows);
    auto count = own_.db.query({"SELECT COUNT(*) FROM xxl_job_user", RINGMASTER_USER_FILTER}, search.name_part,
                               search.name_part, role, role);
    if (count.next())
      out.total = count.number(0);
    return out;
  });
}

} // namespace ringmaster::storage::mysql
