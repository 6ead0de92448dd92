// Edits of users.

#include "storage/admin/access.hpp"
#include "storage/admin/audit_row.hpp"

namespace ringmaster::storage {

namespace {

void write_rights(admin_session& own, core::user_id user, const core::group_rights& finer) {
  own.execute("DELETE FROM rm_group_right WHERE user_id = ?", user);
  for (const auto& [group, right] : finer)
    own.execute("INSERT INTO rm_group_right (user_id, group_id, right_name) VALUES (?, ?, ?)", user, group,
                core::stored_name(right));
}

/// Errors: `conflict`, also when a Java admin was first.
core::result<core::user_id> insert(admin_session& own, const core::user_edit& edit, std::string_view hash) {
  return own.unless_taken(core::user_name_is_taken(edit.after.name), [&]() -> core::result<core::user_id> {
    const auto id =
      own.insert<core::user_id>("INSERT INTO xxl_job_user (username, password, role, permission) VALUES (?, ?, ?, ?)",
                                edit.after.name, hash, edit.after.admin, edit.permission);
    write_rights(own, id, edit.finer);
    return id;
  });
}

/// Errors: as `core::check_groups`.
core::result<void> check_new_groups(admin_session& own, const core::user_edit& edit) {
  if (edit.new_groups.empty())
    return {};
  std::vector<core::group_id> groups;
  for (auto found = own.query("SELECT id FROM xxl_job_group ORDER BY id"); found.next();)
    groups.push_back(found.id<core::group_id>(0));
  return core::check_groups(edit, groups);
}

/// Returns whether another administrator exists, and locks that row until the end of the transaction against Java admins' edits.
bool has_other_admin(admin_session& own, core::user_id user) {
  return own.finds("SELECT id FROM xxl_job_user WHERE role = 1 AND id <> ? LIMIT 1 $for_update", user);
}

/// Checks that `by` is still an administrator, as it was when the request began.
core::result<void> check_still_admin(admin_session& own, const core::principal& by) {
  if (auto allowed = core::check_admin(by); !allowed || by.user == core::user_id{})
    return allowed;
  auto self = by;
  const auto user = find_user(own, by.user);
  self.admin = user && user->card.admin;
  return core::check_admin(self);
}

} // namespace

core::result<core::user_id> user_role::add(const core::user_draft& draft, const core::principal& by, core::time_point now) {
  return own_.edit([&]() -> core::result<core::user_id> {
    own_.hold_edits();
    if (auto allowed = check_still_admin(own_, by); !allowed)
      return tl::unexpected{allowed.error()};
    auto edit = core::plan_edit(nullptr, draft);
    if (!edit)
      return tl::unexpected{edit.error()};
    if (auto known = check_new_groups(own_, *edit); !known)
      return tl::unexpected{known.error()};
    if (find_user(own_, draft.name))
      return tl::unexpected{core::user_name_is_taken(draft.name)};
    const auto id = insert(own_, *edit, draft.password_hash.value_or(""));
    if (!id)
      return id;
    edit->after.id = *id;
    write_audit(own_, core::audit_of_user(by, core::audit_action::add, edit->after, edit->changes, now));
    return id;
  });
}

core::result<void> user_role::update(core::user_id user, const core::user_draft& draft, std::string_view seen,
                                     const core::principal& by, core::time_point now) {
  return own_.edit([&]() -> core::result<void> {
    own_.hold_edits();
    if (auto allowed = check_still_admin(own_, by); !allowed)
      return allowed;
    if (auto other = core::check_other_account(by, user); !other)
      return other;
    const auto before = held_user(own_, user);
    if (!before)
      return tl::unexpected{core::no_such_user(user)};
    const auto edit = core::plan_edit(&*before, draft);
    if (!edit)
      return tl::unexpected{edit.error()};
    if (auto known = check_new_groups(own_, *edit); !known)
      return known;
    if (auto as_seen = core::check_seen(before->card, seen); !as_seen)
      return as_seen;
    if (before->card.admin && !edit->after.admin && !has_other_admin(own_, user))
      return tl::unexpected{core::is_last_admin(before->card)};
    if (edit->changes.empty())
      return {};
    own_.execute("UPDATE xxl_job_user SET role = ?, permission = ? WHERE id = ?", edit->after.admin, edit->permission, user);
    write_rights(own_, user, edit->finer);
    if (draft.password_hash)
      own_.execute("UPDATE xxl_job_user SET password = ? WHERE id = ?", *draft.password_hash, user);
    if (edit->ends_sessions)
      end_sessions(own_, user);
    write_audit(own_, core::audit_of_user(by, core::audit_action::update, edit->after, edit->changes, now));
    return {};
  });
}

core::result<void> user_role::remove(core::user_id user, std::string_view seen, const core::principal& by,
                                     core::time_point now) {
  return own_.edit([&]() -> core::result<void> {
    own_.hold_edits();
    if (auto allowed = check_still_admin(own_, by); !allowed)
      return allowed;
    if (auto other = core::check_other_account(by, user); !other)
      return other;
    const auto before = held_user(own_, user);
    if (!before)
      return {};
    if (auto as_seen = core::check_seen(before->card, seen); !as_seen)
      return as_seen;
    if (before->card.admin && !has_other_admin(own_, user))
      return tl::unexpected{core::is_last_admin(before->card)};
    end_sessions(own_, user);
    own_.execute("DELETE FROM rm_api_key WHERE user_id = ?", user);
    own_.execute("DELETE FROM rm_group_right WHERE user_id = ?", user);
    own_.execute("DELETE FROM rm_user_settings WHERE user_id = ?", user);
    own_.execute("DELETE FROM xxl_job_user WHERE id = ?", user);
    write_audit(own_, core::audit_of_user(by, core::audit_action::remove, before->card, {}, now));
    return {};
  });
}

core::result<void> user_role::set_password(core::user_id user, std::string_view expected, std::string_view hash,
                                           bool same_password, const core::principal& by, core::time_point now) {
  return own_.edit([&]() -> core::result<void> {
    if (auto own = core::check_own_password(by, user); !own)
      return own;
    const auto before = held_user(own_, user);
    if (!before)
      return tl::unexpected{core::no_such_user(user)};
    if (before->password_hash != expected)
      return tl::unexpected{core::password_has_changed()};
    own_.execute("UPDATE xxl_job_user SET password = ? WHERE id = ?", hash, user);
    if (same_password) {
      // Sessions that an earlier password opened have ended and stay so.
      own_.execute("UPDATE rm_session SET password_mark = ? WHERE user_id = ? AND password_mark = ?",
                   core::password_mark(hash), user, core::password_mark(expected));
      return {};
    }
    end_sessions(own_, user);
    write_audit(own_, core::audit_of_user(by, core::audit_action::password, before->card, {}, now));
    return {};
  });
}

core::result<bool> user_role::add_first(std::string_view name, std::string_view hash, core::time_point now) {
  return own_.edit([&]() -> core::result<bool> {
    own_.hold_edits();
    if (own_.finds("SELECT 1 FROM xxl_job_user LIMIT 1"))
      return false;
    core::user_draft draft;
    draft.name = name;
    draft.admin = true;
    auto edit = core::plan_edit(nullptr, draft);
    if (!edit)
      return tl::unexpected{edit.error()};
    const auto id = insert(own_, *edit, hash);
    if (!id)
      return false; // a Java admin's user of the same name
    edit->after.id = *id;
    write_audit(own_, core::audit_of_user(core::local_operator(), core::audit_action::add, edit->after, edit->changes, now));
    return true;
  });
}

} // namespace ringmaster::storage
