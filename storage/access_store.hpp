#pragma once

// Users, sessions, API keys and the record of changes. Roles of the store (storage/store.hpp), where errors and threads are
// described.
// Every edit checks the right of `by` and writes its audit row in its own transaction. No password, no session id and no key
// ever comes in here: only what is made of them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/access/api_key.hpp"
#include "core/access/principal.hpp"
#include "core/access/user.hpp"
#include "core/editing/audit.hpp"
#include "core/result.hpp"

namespace ringmaster::storage {

/// Rows of `xxl_job_user`, with our finer rights beside them.
class user_store {
public:
  virtual ~user_store() = default;

  /// How new passwords are stored: as Java admins read them where their tables were before us or plan here or the column is too
  /// narrow, so that whoever goes back to them signs in there; else as we keep them.
  virtual core::result<core::password_form> password_form() = 0;

  /// Names are compared without case (of ASCII letters, on MySQL of all), as XXL's collation does. Errors: `not_found`.
  virtual core::result<core::user_secret> find(std::string_view name) = 0;
  /// Errors: `not_found`.
  virtual core::result<core::user_secret> read(core::user_id user) = 0;

  /// Ascending by id; what `password_hash` holds is not in it.
  virtual core::result<core::page<core::user_card>> page(const core::user_search& search) = 0;

  /// Errors: `forbidden`; `conflict` with `user_repeated`; `invalid_argument` with `too_long` for rights that their column does
  /// not hold, and for one in a group that does not exist.
  virtual core::result<core::user_id> add(const core::user_draft& draft, const core::principal& by, core::time_point now) = 0;

  /// `seen`: `core::edit_tag` of the user as `by` knows him; an edit since, by whomever, is a conflict. Empty: any.
  /// A new password, or less than before to do, ends the user's sessions, those with Java admins too. Rights he has in groups
  /// that are gone may stay. Errors: `forbidden`, also with `own_account` for `by`'s own row; `not_found`; `conflict` for an edit
  /// since and for the last administrator, who stays one; `invalid_argument` as `add`.
  virtual core::result<void> update(core::user_id user, const core::user_draft& draft, std::string_view seen,
                                    const core::principal& by, core::time_point now) = 0;

  /// With his sessions and rights; `seen` as above; who is gone already is no error. Errors: `forbidden`, also with
  /// `own_account`; `conflict` for an edit since and for the last administrator.
  virtual core::result<void> remove(core::user_id user, std::string_view seen, const core::principal& by,
                                    core::time_point now) = 0;

  /// His own one, or the same one in a better form (`by` is the user himself in both). Nothing is written unless the stored form
  /// still is `expected`. Ends the user's sessions, unless `same_password`. Errors: `conflict`, `forbidden`, `not_found`.
  virtual core::result<void> set_password(core::user_id user, std::string_view expected, std::string_view hash,
                                          bool same_password, const core::principal& by, core::time_point now) = 0;

  /// The first administrator of a database without any user: true when this call made him.
  virtual core::result<bool> add_first(std::string_view name, std::string_view hash, core::time_point now) = 0;
};

/// Rows of `rm_session`.
class session_store {
public:
  virtual ~session_store() = default;

  /// `password_hash`: what the password was checked against; a session of a user whose stored password is another one is over.
  /// Sessions that are over go, at most some a call. Writes an audit row `sign_in`. Errors: `conflict` when the stored password
  /// is another one already, `not_found` when the user is gone.
  virtual core::result<void> open(const core::session& session, std::string_view password_hash, const core::principal& by,
                                  core::time_point now) = 0;

  /// Whose session it is, with the rights that he has now. Errors: `not_found` when there is none, it is over, the user is gone,
  /// or his password is another one.
  virtual core::result<core::found_session> find(std::string_view digest, core::time_point now) = 0;

  /// Puts off its end. No error when it is gone.
  virtual core::result<void> prolong(std::string_view digest, core::time_point expires) = 0;

  /// No error when it is gone.
  virtual core::result<void> close(std::string_view digest) = 0;

  /// All of a user. How many. Errors: `forbidden`, unless `by` is an administrator or the user himself.
  virtual core::result<std::size_t> close_all(core::user_id user, const core::principal& by, core::time_point now) = 0;
};

/// Rows of `rm_api_key`. A user has his own, administrators have those of all.
class api_key_store {
public:
  virtual ~api_key_store() = default;

  /// Errors: `forbidden`; `not_found` for a user who is gone; `invalid_argument` for a name that is empty or too long, and for an
  /// end that is no more to come; `too_large` when he has `api_keys_max` of them; `conflict` when the digest is there.
  virtual core::result<core::api_key_id> add(const core::api_key_draft& draft, const core::principal& by,
                                             core::time_point now) = 0;

  /// Who is no administrator finds his own only. Errors: `forbidden` when he asks for another one's.
  virtual core::result<std::vector<core::api_key>> list(const core::api_key_search& search, const core::principal& by) = 0;

  /// Errors: `forbidden`, `not_found`.
  virtual core::result<void> remove(core::api_key_id key, const core::principal& by, core::time_point now) = 0;

  /// Errors: `not_found` when there is none, it is over, or its user is gone.
  virtual core::result<core::found_api_key> find(std::string_view digest, core::time_point now) = 0;

  /// Writes that it was used, unless that stands there since less than `api_key_use_step`. No error when it is gone.
  virtual core::result<void> used(core::api_key_id key, core::time_point now) = 0;
};

/// Rows of `rm_audit`.
class audit_store {
public:
  virtual ~audit_store() = default;

  /// Newest first. Errors: `forbidden` for who is no administrator.
  virtual core::result<std::vector<core::audit_row>> list(const core::audit_search& search, const core::principal& by) = 0;
};

} // namespace ringmaster::storage
