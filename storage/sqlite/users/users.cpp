// Edits of users. SQLite's one write lock replaces the locks on rows.

#include "storage/sqlite/users/access.hpp"
#include "storage/sqlite/users/audit_row.hpp"

namespace ringmaster::storage::sqlite {

namespace {

constexpr char insert_user[] = "INSERT INTO xxl_job_user (username, password, role, permission) VALUES (?1, ?2, ?3, ?4)";
constexpr char update_user[] = "UPDATE xxl_job_user SET role = ?2, permission = ?3 WHERE id = ?1";
constexpr char update_password[] = "UPDATE xxl_job_user SET password = ?2 WHERE id = ?1";
constexpr char move_sessions[] = "UPDATE rm_session SET password_mark = ?2 WHERE user_id = ?1 AND password_mark = ?3";
constexpr char delete_rights[] = "DELETE FROM rm_group_right WHERE user_id = ?1";
constexpr char insert_right[] = "INSERT INTO rm_group_right (user_id, group_id, right_name) VALUES (?1, ?2, ?3)";
constexpr char delete_user[] = "DELETE FROM xxl_job_user WHERE id = ?1";
constexpr char any_other_admin[] = "SELECT 1 FROM xxl_job_user WHERE role = 1 AND id <> ?1 LIMIT 1";
constexpr char list_group_ids[] = "SELECT id FROM xxl_job_group ORDER BY id";
constexpr char any_user[] = "SELECT 1 FROM xxl_job_user LIMIT 1";

void write_rights(connection& db, core::user_id user, const core::group_rights& finer) {
  db.run(delete_rights, user);
  for (const auto& [group, right] : finer)
    db.run(insert_right, user, group, core::stored_name(right));
}

core::user_id add_user(connection& db, const core::user_edit& edit, std::string_view hash) {
  db.run(insert_user, edit.after.name, hash, edit.after.admin, edit.permission);
  const core::user_id id{static_cast<std::int32_t>(db.last_id())};
  write_rights(db, id, edit.finer);
  return id;
}

/// Errors: as `core::check_groups`.
core::result<void> check_new_groups(connection& db, const core::user_edit& edit) {
  if (edit.new_groups.empty())
    return {};
  std::vector<core::group_id> groups;
  auto listing = db.prepare(list_group_ids);
  listing.with();
  while (listing.step())
    groups.push_back(listing.id<core::group_id>(0));
  return core::check_groups(edit, groups);
}

bool has_other_admin(connection& db, core::user_id user) {
  auto other = db.prepare(any_other_admin);
  return other.with(user).step();
}

/// Checks that `by` is still an administrator, as it was when the request began.
core::result<void> check_still_admin(connection& db, const core::principal& by) {
  if (auto allowed = core::check_admin(by); !allowed || by.user == core::user_id{})
    return allowed;
  auto self = by;
  const auto user = find_user(db, by.user);
  self.admin = user && user->card.admin;
  return core::check_admin(self);
}

} // namespace

core::result<core::user_id> user_role::add(const core::user_draft& draft, const core::principal& by, core::time_point now) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<core::user_id> {
    if (auto allowed = check_still_admin(db, by); !allowed)
      return tl::unexpected{allowed.error()};
    auto edit = core::plan_edit(nullptr, draft);
    if (!edit)
      return tl::unexpected{edit.error()};
    if (auto known = check_new_groups(db, *edit); !known)
      return tl::unexpected{known.error()};
    if (find_user(db, draft.name))
      return tl::unexpected{core::user_name_is_taken(draft.name)};
    edit->after.id = add_user(db, *edit, draft.password_hash.value_or(""));
    write_audit(db, core::audit_of_user(by, core::audit_action::add, edit->after, edit->changes, now));
    return edit->after.id;
  });
}

core::result<void> user_role::update(core::user_id user, const core::user_draft& draft, std::string_view seen,
                                     const core::principal& by, core::time_point now) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<void> {
    if (auto allowed = check_still_admin(db, by); !allowed)
      return allowed;
    if (auto other = core::check_other_account(by, user); !other)
      return other;
    const auto before = find_user(db, user);
    if (!before)
      return tl::unexpected{core::no_such_user(user)};
    const auto edit = core::plan_edit(&*before, draft);
    if (!edit)
      return tl::unexpected{edit.error()};
    if (auto known = check_new_groups(db, *edit); !known)
      return known;
    if (auto as_seen = core::check_seen(before->card, seen); !as_seen)
      return as_seen;
    if (before->card.admin && !edit->after.admin && !has_other_admin(db, user))
      return tl::unexpected{core::is_last_admin(before->card)};
    if (edit->changes.empty())
      return {};
    db.run(update_user, user, edit->after.admin, edit->permission);
    write_rights(db, user, edit->finer);
    if (draft.password_hash)
      db.run(update_password, user, *draft.password_hash);
    if (edit->ends_sessions)
      end_sessions(db, user);
    write_audit(db, core::audit_of_user(by, core::audit_action::update, edit->after, edit->changes, now));
    return {};
  });
}

core::result<void> user_role::remove(core::user_id user, std::string_view seen, const core::principal& by,
                                     core::time_point now) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<void> {
    if (auto allowed = check_still_admin(db, by); !allowed)
      return allowed;
    if (auto other = core::check_other_account(by, user); !other)
      return other;
    const auto before = find_user(db, user);
    if (!before)
      return {};
    if (auto as_seen = core::check_seen(before->card, seen); !as_seen)
      return as_seen;
    if (before->card.admin && !has_other_admin(db, user))
      return tl::unexpected{core::is_last_admin(before->card)};
    end_sessions(db, user);
    remove_keys(db, user);
    db.run(delete_rights, user);
    db.run(delete_user, user);
    write_audit(db, core::audit_of_user(by, core::audit_action::remove, before->card, {}, now));
    return {};
  });
}

core::result<void> user_role::set_password(core::user_id user, std::string_view expected, std::string_view hash,
                                           bool same_password, const core::principal& by, core::time_point now) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<void> {
    if (auto own = core::check_own_password(by, user); !own)
      return own;
    const auto before = find_user(db, user);
    if (!before)
      return tl::unexpected{core::no_such_user(user)};
    if (before->password_hash != expected)
      return tl::unexpected{core::password_has_changed()};
    db.run(update_password, user, hash);
    if (same_password) {
      // Sessions that an earlier password opened have ended and stay so.
      db.run(move_sessions, user, core::password_mark(hash), core::password_mark(expected));
      return {};
    }
    end_sessions(db, user);
    write_audit(db, core::audit_of_user(by, core::audit_action::password, before->card, {}, now));
    return {};
  });
}

core::result<bool> user_role::add_first(std::string_view name, std::string_view hash, core::time_point now) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<bool> {
    if (auto any = db.prepare(any_user); any.with().step())
      return false;
    core::user_draft draft;
    draft.name = name;
    draft.admin = true;
    auto edit = core::plan_edit(nullptr, draft);
    if (!edit)
      return tl::unexpected{edit.error()};
    edit->after.id = add_user(db, *edit, hash);
    write_audit(db, core::audit_of_user(core::local_operator(), core::audit_action::add, edit->after, edit->changes, now));
    return true;
  });
}

} // namespace ringmaster::storage::sqlite
