#pragma once

// Users, sessions, API keys and the audit log. Roles of the store; errors and threads are described in storage/store.hpp. Every
// edit checks the permission of `by` and writes its audit row in its own transaction. Passwords, session ids and keys never reach
// the store: it gets their hashes and digests only.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/access/api_key.hpp"
#include "core/access/principal.hpp"
#include "core/access/session.hpp"
#include "core/access/user.hpp"
#include "core/access/user_activity.hpp"
#include "core/access/user_settings.hpp"
#include "core/editing/audit.hpp"
#include "core/result.hpp"

namespace ringmaster::storage {

/// Rows of `xxl_job_user`, and the finer permissions that Ringmaster stores next to them.
class user_store {
public:
  virtual ~user_store() = default;

  /// Returns the form in which new passwords are stored. It is the form that Java admins read if the tables were made by XXL-JOB,
  /// if Java admins plan on this database, or if the column is too narrow for ours: users can then still sign in after a return
  /// to Java admins. Otherwise it is Ringmaster's own form.
  virtual core::result<core::password_form> password_form() = 0;

  /// Finds a user by name. Names are compared without case, as XXL's collation does (SQLite: ASCII letters only; MySQL: all
  /// letters). Errors: `not_found`.
  virtual core::result<core::user_secret> find(std::string_view name) = 0;
  /// Errors: `not_found`.
  virtual core::result<core::user_secret> read(core::user_id user) = 0;

  /// Returns users in ascending order of id, without their `password_hash`.
  virtual core::result<core::page<core::user_card>> page(const core::user_search& search) = 0;

  /// Returns the activity of each of these users, in their order. Sessions that were opened longer than `max_age` ago have ended.
  virtual core::result<std::vector<core::user_activity>> activity(const std::vector<core::user_id>& users,
                                                                  core::milliseconds max_age, core::time_point now) = 0;

  /// Errors: `forbidden`; `conflict` with `user_repeated`; `invalid_argument` with `too_long` for permissions that do not fit
  /// their column, and for a permission in a group that does not exist.
  virtual core::result<core::user_id> add(const core::user_draft& draft, const core::principal& by, core::time_point now) = 0;

  /// Changes a user. `seen`: `core::edit_tag` of the user as `by` knows it; a later edit by any user is a conflict. Empty: no
  /// check.
  /// A new password, or fewer permissions than before, ends the user's sessions, including those with Java admins. Permissions in
  /// deleted groups may stay. Errors: `forbidden`, also with `own_account` for `by`'s own row; `not_found`; `conflict` for a
  /// later edit and for the last administrator, who must stay one; `invalid_argument` as `add`.
  virtual core::result<void> update(core::user_id user, const core::user_draft& draft, std::string_view seen,
                                    const core::principal& by, core::time_point now) = 0;

  /// Removes a user with their sessions and permissions. `seen` as above. Succeeds if the user is already gone. Errors:
  /// `forbidden`, also with `own_account`; `conflict` for a later edit and for the last administrator.
  virtual core::result<void> remove(core::user_id user, std::string_view seen, const core::principal& by,
                                    core::time_point now) = 0;

  /// Stores a new password of the user, or the same password in a better form (`by` is the user in both cases). Writes nothing
  /// unless the stored form is still `expected`. Ends the user's sessions, unless `same_password`. Errors: `conflict`,
  /// `forbidden`, `not_found`.
  virtual core::result<void> set_password(core::user_id user, std::string_view expected, std::string_view hash,
                                          bool same_password, const core::principal& by, core::time_point now) = 0;

  /// Adds the first administrator of a database without users. Returns true if this call added them.
  virtual core::result<bool> add_first(std::string_view name, std::string_view hash, core::time_point now) = 0;

  /// Returns the console's settings of a user: without members for a user who has saved none, or is gone.
  virtual core::result<core::user_settings> settings(core::user_id user) = 0;

  /// Replaces the console's settings of a user. Writes no audit row. Errors: `not_found`.
  virtual core::result<void> save_settings(core::user_id user, const core::user_settings& settings) = 0;
};

/// Rows of `rm_session`.
class session_store {
public:
  virtual ~session_store() = default;

  /// Opens a session. `password_hash`: the hash that the password was checked against; a session is valid only while the user's
  /// stored password is this one. Also removes expired sessions, a bounded number per call. Writes an audit row `sign_in`.
  /// Errors: `conflict` when the stored password has changed, `not_found` when the user is gone.
  virtual core::result<void> open(const core::session& session, std::string_view password_hash, const core::principal& by,
                                  core::time_point now) = 0;

  /// Returns the session's user with their current permissions. Errors: `not_found` when there is no such session, it has
  /// expired, the user is gone, or their password has changed.
  virtual core::result<core::found_session> find(std::string_view digest, core::time_point now) = 0;

  /// Extends the session. Succeeds if the session is gone.
  virtual core::result<void> prolong(std::string_view digest, core::time_point expires) = 0;

  /// Ends the session. Succeeds if the session is gone.
  virtual core::result<void> close(std::string_view digest) = 0;

  /// Returns open sessions, newest first; a non-administrator gets only their own. Counts `page_rows_max` sessions at most.
  /// Errors: `forbidden` when a non-administrator asks for another user's sessions.
  virtual core::result<core::page<core::open_session>> page(const core::session_search& search, const core::principal& by,
                                                            core::time_point now) = 0;

  /// Ends one session of any user and writes an audit row. Errors: `not_found`; `forbidden`, unless `by` is an administrator or
  /// the session's user.
  virtual core::result<void> end(core::session_id session, const core::principal& by, core::time_point now) = 0;

  /// Ends all sessions of a user and returns their number. Errors: `forbidden`, unless `by` is an administrator or the user.
  virtual core::result<std::size_t> close_all(core::user_id user, const core::principal& by, core::time_point now) = 0;
};

/// Rows of `rm_api_key`. Users see and edit their own keys, administrators those of all users.
class api_key_store {
public:
  virtual ~api_key_store() = default;

  /// Errors: `forbidden`; `not_found` for a user who is gone; `invalid_argument` for a name that is empty or too long, and for an
  /// end that is not in the future; `too_large` when the user has `api_keys_max` keys; `conflict` when the digest exists.
  virtual core::result<core::api_key_id> add(const core::api_key_draft& draft, const core::principal& by,
                                             core::time_point now) = 0;

  /// Lists API keys. Non-administrators get only their own. Errors: `forbidden` when a non-administrator asks for another user's
  /// keys.
  virtual core::result<std::vector<core::api_key>> list(const core::api_key_search& search, const core::principal& by) = 0;

  /// Errors: `forbidden`, `not_found`.
  virtual core::result<void> remove(core::api_key_id key, const core::principal& by, core::time_point now) = 0;

  /// Errors: `not_found` when there is no such key, it has expired, or its user is gone.
  virtual core::result<core::found_api_key> find(std::string_view digest, core::time_point now) = 0;

  /// Stores the time of the key's last use, unless the stored time is less than `api_key_use_step` old. Succeeds if the key is
  /// gone.
  virtual core::result<void> used(core::api_key_id key, core::time_point now) = 0;
};

/// Rows of `rm_audit`.
class audit_store {
public:
  virtual ~audit_store() = default;

  /// Returns the newest rows first. Errors: `forbidden` for non-administrators.
  virtual core::result<std::vector<core::audit_row>> list(const core::audit_search& search, const core::principal& by) = 0;

  /// Returns the changes of one job or group, newest first, since the last removal of another one with the same id. Only
  /// `before` and `limit` of `window` count. Addresses of users are empty unless `by` is an administrator. Errors: `not_found`;
  /// `forbidden` unless `by` is viewer in the group.
  virtual core::result<std::vector<core::audit_row>> history(const core::audited_object& object,
                                                             const core::audit_search& window,
                                                             const core::principal& by) = 0;

  /// Returns the newest `limit` rows of a job, newest first, with the time from which on none is missing; rows of manual runs are
  /// left out. The caller has checked that the user may see the job.
  virtual core::result<core::job_edits> edits_of(core::job_id job, std::size_t limit) = 0;

  /// Records changes that are not rows of this database, in one transaction. All other edits write their rows themselves.
  virtual core::result<void> record(std::span<const core::audit_row> rows) = 0;
};

} // namespace ringmaster::storage
