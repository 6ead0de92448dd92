// Sign-ins, sessions and keys of users, for a page of users.

#include <algorithm>

#include "core/rules/access_rules.hpp"
#include "storage/admin/access.hpp"

namespace ringmaster::storage {

namespace {

/// Activities of the users of a page, by user.
class activity_list {
public:
  explicit activity_list(const std::vector<core::user_id>& users) {
    for (const auto user : users)
      rows_.push_back({user});
  }

  /// Calls `change` with the activity of a user.
  template <class Change>
  void update(core::user_id user, Change change) {
    for (auto& each : rows_)
      if (each.user == user)
        change(each);
  }
  [[nodiscard]] std::vector<core::user_activity>& rows() noexcept { return rows_; }

private:
  std::vector<core::user_activity> rows_;
};

/// Reads the newest row of each user alone, backwards along the index: a user may have signed in very often.
void read_sign_ins(admin_session& own, activity_list& list) {
  for (auto& each : list.rows()) {
    auto row = own.query("SELECT at_ms FROM rm_audit WHERE object = 'user' AND object_id = ? AND action = 'sign_in'"
                         " ORDER BY id DESC LIMIT 1",
                         each.user);
    if (row.next())
      each.last_sign_in = row.time_ms(0);
  }
}

} // namespace

core::result<std::vector<core::user_activity>> user_role::activity(const std::vector<core::user_id>& users,
                                                                   core::milliseconds max_age, core::time_point now) {
  return own_.read_together([&]() -> core::result<std::vector<core::user_activity>> {
    activity_list list{users};
    read_sign_ins(own_, list);
    own_.query_in("SELECT id, password FROM xxl_job_user WHERE id IN ({?,})", users, [&](const sql_rows& row) {
      list.update(row.id<core::user_id>(0),
                  [&](core::user_activity& each) { each.known_password = core::is_known_hash(row.text(1)); });
    });
    own_.query_in("SELECT s.user_id, s.opened_ms, s.expires_ms, s.password_mark, u.password FROM rm_session s"
                  " JOIN xxl_job_user u ON u.id = s.user_id WHERE s.user_id IN ({?,})",
                  users, [&](const sql_rows& row) {
                    const bool is_open = row.time_ms(2) > now && row.time_ms(1) + max_age > now
                                         && row.text(3) == core::password_mark(row.text(4));
                    list.update(row.id<core::user_id>(0), [&](core::user_activity& each) { each.sessions += is_open ? 1 : 0; });
                  });
    own_.query_in("SELECT user_id, COUNT(*) FROM rm_api_key WHERE user_id IN ({?,}) GROUP BY user_id", users,
                  [&](const sql_rows& row) {
                    list.update(row.id<core::user_id>(0), [&](core::user_activity& each) { each.keys = row.number(1); });
                  });
    return std::move(list.rows());
  });
}

} // namespace ringmaster::storage
