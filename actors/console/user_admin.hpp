#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "actors/console/known_identities.hpp"
#include "actors/console/one_time_link.hpp"
#include "actors/logger.hpp"
#include "actors/store/query_workers.hpp"
#include "config/settings.hpp"
#include "core/access/login_rate_limiter.hpp"
#include "core/access/user.hpp"
#include "core/limits/failure_rate_limiter.hpp"
#include "core/result.hpp"
#include "protocol/admin_messages.hpp"
#include "protocol/caf.hpp"
#include "protocol/wall_clock.hpp"
#include "storage/store.hpp"

namespace ringmaster::actors {

/// Creation and digest of session tokens and API keys.
struct session_tokens {
  /// Returns a new, unguessable token.
  std::function<core::result<std::string>()> fresh;
  /// Returns a digest of 64 characters, from which the token cannot be derived.
  std::function<std::string(std::string_view)> digest;
  /// Link that signs a user in once; unset: none.
  std::optional<one_time_link> one_time = {};
};

/// Actor for users and their sessions. One query worker reads them and writes sessions, another one runs edits, and
/// password_keeper does the slow work; none of them waits for another. Sessions that were found are cached for a second: a
/// session that another node ends may go on here for that long; a session that is ended here ends at once. Passwords and API keys
/// are in its messages only and never logged. `user_edits.cpp` has the changes by administrators and users, `user_keys.cpp` the
/// API keys, `user_sessions.cpp` the list of sessions, `user_settings.cpp` the settings of the
/// console, `user_one_time.cpp` the sign-in with a link.
class user_admin_state {
public:
  static inline const char* name = "ringmaster.user_admin";

  /// Maximum of sign-ins and password changes under way; more are refused for the moment.
  static constexpr std::size_t attempts_max = 32;
  static constexpr std::size_t token_bytes_max = 256;
  /// Shortest time between two recorded uses of a session; a tenth of its lifetime if that is shorter.
  static constexpr core::milliseconds use_written_every{60'000};
  /// Maximum of sessions that are looked up in the store at once; more are refused for the moment.
  static constexpr std::size_t look_ups_max = 256;

  user_admin_state(protocol::user_admin::pointer self, query_workers stores, protocol::password_keeper keeper,
                   config::security_settings settings, session_tokens tokens, protocol::wall_clock clock, logger log);
  protocol::user_admin::behavior_type make_behavior();

private:
  using steady = std::chrono::steady_clock::time_point;

  /// Sign-in from the look-up of the user to the session.
  struct attempt {
    protocol::sign_in asked;
    caf::typed_response_promise<protocol::signed_in> answer;
    /// Without an id if there is no such user.
    core::user_secret user;
    core::password_form form = core::password_form::argon2id;
    protocol::password_verdict verdict;
    /// Time at which the new session ends unless it is used.
    core::time_point expires{};
    /// Link that replaces the password; unset: a sign-in with a password.
    std::optional<one_time_link> link = {};
    /// The password was changed meanwhile, and the user was looked up again.
    bool again = false;
  };
  using attempt_ptr = std::shared_ptr<attempt>;

  /// Change of a user's own password.
  struct password_change {
    protocol::change_password asked;
    caf::typed_response_promise<void> answer;
    core::user_secret user;
    core::password_form form = core::password_form::argon2id;
    bool wrong = false;
  };
  using password_change_ptr = std::shared_ptr<password_change>;

  caf::result<protocol::signed_in> sign_in(protocol::sign_in&& asked);
  void look_up(attempt_ptr now);
  void check(attempt_ptr now);
  void checked(attempt_ptr now);
  void open_session(attempt_ptr now);
  void opened(const attempt_ptr& now, core::result<void>&& outcome, std::string&& token);
  /// Refuses the sign-in; it stays counted as a failure.
  void fail(const attempt_ptr& now);
  /// Refuses the sign-in for a reason that is not the user's fault.
  void refuse(const attempt_ptr& now, const core::error& why);

  caf::result<protocol::signed_in> sign_in(const protocol::one_time_sign_in& asked);
  [[nodiscard]] bool is_one_time_token(std::string_view token) const;
  caf::result<void> sign_out(const protocol::sign_out& asked);
  caf::result<protocol::identified> identify(const protocol::identify& asked);
  /// Returns false when too many look-ups are under way, or when the client showed too many unknown sessions in this minute.
  [[nodiscard]] bool admits_unknown(const std::string& remote) const;
  protocol::identified found(const std::string& digest, std::uint64_t epoch, core::found_session&& session);
  /// Returns the time at which the session ends from now on.
  core::time_point prolong(const std::string& digest, const core::found_session& session);
  void forget_sessions(core::user_id user);
  caf::result<protocol::session_page> list(protocol::session_query&& asked);
  caf::result<void> end(const protocol::end_session& asked);

  caf::result<protocol::identified> identify(const protocol::identify_key& asked);
  core::result<protocol::identified> found(const protocol::identify_key& asked, const std::string& digest, std::uint64_t epoch,
                                           core::result<core::found_api_key>&& key);
  void write_use(const core::found_api_key& key);
  caf::result<protocol::added_key> add(protocol::add_key&& asked);
  caf::result<void> remove(const protocol::remove_key& asked);
  caf::result<protocol::key_list> list(protocol::key_query&& asked);

  caf::result<protocol::user_page> list(protocol::user_query&& asked);
  caf::result<protocol::user_found> read(const protocol::user_by_id& asked);
  caf::result<protocol::user_settings_found> read(const protocol::user_settings_query& asked);
  caf::result<void> save(protocol::save_user_settings&& asked);
  caf::result<protocol::audit_list> list(protocol::audit_query&& asked);
  caf::result<protocol::audit_list> list(protocol::changes_query&& asked);
  caf::result<protocol::saved_user> save(protocol::save_user&& asked);
  void hash_and_store(std::shared_ptr<const protocol::save_user> asked, core::password_form form,
                      caf::typed_response_promise<protocol::saved_user> answer);
  void store(std::shared_ptr<const protocol::save_user> asked, std::optional<std::string> hash,
             caf::typed_response_promise<protocol::saved_user> answer);
  caf::result<void> remove(const protocol::remove_user& asked);
  caf::result<void> change(protocol::change_password&& asked);
  void check_old(password_change_ptr now);
  void hash_new(password_change_ptr now);
  void store_new(password_change_ptr now, std::string hash);
  void end(const password_change_ptr& now, const core::result<void>& outcome);

  /// Errors: `too_large`, with the seconds to wait.
  [[nodiscard]] core::result<void> admit(std::string_view name, std::string_view remote) const;
  [[nodiscard]] core::time_point now() const { return clock_.at(self_->clock().now()); }

  protocol::user_admin::pointer self_;
  query_workers stores_;
  protocol::password_keeper keeper_;
  config::security_settings settings_;
  session_tokens tokens_;
  protocol::wall_clock clock_;
  logger log_;

  core::login_rate_limiter gate_;
  std::size_t attempts_ = 0;
  /// Link that was not used yet. It is valid until `link_until_`.
  std::optional<one_time_link> link_;
  steady link_until_{};
  known_identities sessions_;
  std::size_t looked_up_ = 0;
  core::failure_rate_limiter unknown_sessions_;
  /// Separate from the rate limiter of sign-ins: a program with an old key prevents no user from signing in.
  core::login_rate_limiter key_gate_;
  known_identities keys_;
};

} // namespace ringmaster::actors
