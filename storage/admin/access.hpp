#pragma once

// Users, sessions, API keys and the audit log.

#include <optional>

#include "core/rules/access_rules.hpp"
#include "storage/access_store.hpp"
#include "storage/admin/admin_session.hpp"

namespace ringmaster::storage {

/// Users. `users.cpp` edits, `user_reads.cpp` reads, `user_settings.cpp` has the settings of the console. Edits run one after
/// another.
class user_role final : public user_store {
public:
  explicit user_role(admin_session& own) : own_{own} {}

  core::result<core::password_form> password_form() override { return own_.password_form(); }
  core::result<core::user_secret> find(std::string_view name) override;
  core::result<core::user_secret> read(core::user_id user) override;
  core::result<core::page<core::user_card>> page(const core::user_search& search) override;
  core::result<std::vector<core::user_activity>> activity(const std::vector<core::user_id>& users, core::milliseconds max_age,
                                                          core::time_point now) override;
  core::result<core::user_id> add(const core::user_draft& draft, const core::principal& by, core::time_point now) override;
  core::result<void> update(core::user_id user, const core::user_draft& draft, std::string_view seen,
                            const core::principal& by, core::time_point now) override;
  core::result<void> remove(core::user_id user, std::string_view seen, const core::principal& by,
                            core::time_point now) override;
  core::result<void> set_password(core::user_id user, std::string_view expected, std::string_view hash, bool same_password,
                                  const core::principal& by, core::time_point now) override;
  core::result<bool> add_first(std::string_view name, std::string_view hash, core::time_point now) override;
  core::result<core::user_settings> settings(core::user_id user) override;
  core::result<void> save_settings(core::user_id user, const core::user_settings& settings) override;

private:
  admin_session& own_;
};

/// Sessions (`sessions.cpp`).
class session_role final : public session_store {
public:
  explicit session_role(admin_session& own) : own_{own} {}

  core::result<void> open(const core::session& opened, std::string_view password_hash, const core::principal& by,
                          core::time_point now) override;
  core::result<core::found_session> find(std::string_view digest, core::time_point now) override;
  core::result<void> prolong(std::string_view digest, core::time_point expires) override;
  core::result<void> close(std::string_view digest) override;
  core::result<core::page<core::open_session>> page(const core::session_search& search, const core::principal& by,
                                                    core::time_point now) override;
  core::result<void> end(core::session_id session, const core::principal& by, core::time_point now) override;
  core::result<std::size_t> close_all(core::user_id user, const core::principal& by, core::time_point now) override;

private:
  admin_session& own_;
};

/// API keys (`api_keys.cpp`). Edits lock the user's row: they run one after another, and none succeeds for a user who is being
/// removed.
class api_key_role final : public api_key_store {
public:
  explicit api_key_role(admin_session& own) : own_{own} {}

  core::result<core::api_key_id> add(const core::api_key_draft& draft, const core::principal& by, core::time_point now) override;
  core::result<std::vector<core::api_key>> list(const core::api_key_search& search, const core::principal& by) override;
  core::result<void> remove(core::api_key_id key, const core::principal& by, core::time_point now) override;
  core::result<core::found_api_key> find(std::string_view digest, core::time_point now) override;
  core::result<void> used(core::api_key_id key, core::time_point now) override;

private:
  admin_session& own_;
};

/// The audit log (`audits.cpp`).
class audit_role final : public audit_store {
public:
  explicit audit_role(admin_session& own) : own_{own} {}

  core::result<std::vector<core::audit_row>> list(const core::audit_search& search, const core::principal& by) override;
  core::result<std::vector<core::audit_row>> history(const core::audited_object& object, const core::audit_search& window,
                                                     const core::principal& by) override;
  core::result<core::job_edits> edits_of(core::job_id job, std::size_t limit) override;
  core::result<void> record(std::span<const core::audit_row> rows) override;

private:
  admin_session& own_;
};

/// Returns the user, or nothing when there is no such user (`user_reads.cpp`); `held`: the row is locked until the end of the
/// transaction.
[[nodiscard]] std::optional<core::user_secret> find_user(admin_session& own, std::string_view name);
[[nodiscard]] std::optional<core::user_secret> find_user(admin_session& own, core::user_id user);
[[nodiscard]] std::optional<core::user_secret> held_user(admin_session& own, core::user_id user);

/// Returns the principal with its present permissions, which may be fewer than when the request began (`user_reads.cpp`).
[[nodiscard]] core::principal as_now(admin_session& own, const core::principal& by);

/// Ends all sessions of a user, including those with Java admins (`sessions.cpp`). Returns the number of our own.
std::uint64_t end_sessions(admin_session& own, core::user_id user);

} // namespace ringmaster::storage
