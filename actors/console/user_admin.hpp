#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

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

/// What cookies and keys hold, and what is stored of it.
struct session_tokens {
  /// A new one that nobody can guess.
  std::function<core::result<std::string>()> fresh;
  /// 64 characters from which nobody gets back.
  std::function<std::string(std::string_view)> digest;
};

/// Users and their sessions: a query worker reads them and writes sessions, the other one runs edits, password_keeper does the
/// slow work; none of them waits for another. Sessions that were found
/// are kept for a second, so what another node ends may go on here for so long; what is ended here is over at once. Passwords
/// are in its messages only and never logged; keys alike. `user_edits.cpp` has what administrators and users change,
/// `user_keys.cpp` API keys.
class user_admin_state {
public:
  static inline const char* name = "ringmaster.user_admin";

  /// Sign-ins and password changes under way; beyond it: later.
  static constexpr std::size_t attempts_max = 32;
  static constexpr std::chrono::milliseconds kept_for{1000};
  static constexpr std::size_t kept_max = 10'000;
  static constexpr std::size_t token_bytes_max = 256;
  /// Sessions that the store is asked for at the same time; beyond it: later.
  static constexpr std::size_t look_ups_max = 256;

  user_admin_state(protocol::user_admin::pointer self, query_workers stores, protocol::password_keeper keeper,
                   config::security_settings settings, session_tokens tokens, protocol::wall_clock clock, logger log);
  protocol::user_admin::behavior_type make_behavior();

private:
  using steady = std::chrono::steady_clock::time_point;

  /// A sign-in from its first look at the user to the session.
  struct attempt {
    protocol::sign_in asked;
    caf::typed_response_promise<protocol::signed_in> answer;
    /// No id: there is no such user.
    core::user_secret user;
    core::password_form form = core::password_form::argon2id;
    protocol::password_verdict verdict;
    /// Somebody changed the password meanwhile: it was looked at anew.
    bool again = false;
  };
  using attempt_ptr = std::shared_ptr<attempt>;

  /// A change of his own password.
  struct password_change {
    protocol::change_password asked;
    caf::typed_response_promise<void> answer;
    core::user_secret user;
    core::password_form form = core::password_form::argon2id;
    bool wrong = false;
  };
  using password_change_ptr = std::shared_ptr<password_change>;

  struct kept_session {
    protocol::identified found;
    steady until{};
  };

  struct kept_key {
    core::api_key_id id{};
    protocol::identified found;
    /// Behind it the store is asked again.
    steady until{};
  };

  caf::result<protocol::signed_in> sign_in(protocol::sign_in&& asked);
  void look_up(attempt_ptr now);
  void check(attempt_ptr now);
  void checked(attempt_ptr now);
  void open_session(attempt_ptr now);
  void opened(const attempt_ptr& now, core::result<void>&& outcome, std::string&& token);
  /// The attempt stays counted as a failure.
  void fail(const attempt_ptr& now);
  /// For a reason that is not his.
  void refuse(const attempt_ptr& now, const core::error& why);

  caf::result<void> sign_out(const protocol::sign_out& asked);
  caf::result<protocol::identified> identify(const protocol::identify& asked);
  /// Returns false when too many look-ups are under way, or when the client showed too many unknown sessions in this minute.
  [[nodiscard]] bool admits_unknown(const std::string& remote) const;
  void found(const std::string& digest, std::uint64_t epoch, const core::found_session& session);
  void prolong(const std::string& digest, const core::found_session& session);
  void forget_sessions(core::user_id user);

  caf::result<protocol::identified> identify(const protocol::identify_key& asked);
  core::result<protocol::identified> found(const protocol::identify_key& asked, const std::string& digest, std::uint64_t epoch,
                                           core::result<core::found_api_key>&& key);
  void keep(const std::string& digest, const core::found_api_key& key);
  void write_use(const core::found_api_key& key);
  caf::result<protocol::added_key> add(protocol::add_key&& asked);
  caf::result<void> remove(const protocol::remove_key& asked);
  caf::result<protocol::key_list> list(protocol::key_query&& asked);

  caf::result<protocol::user_page> list(protocol::user_query&& asked);
  caf::result<protocol::user_found> read(const protocol::user_by_id& asked);
  caf::result<protocol::audit_list> list(protocol::audit_query&& asked);
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
  /// By digest.
  std::unordered_map<std::string, kept_session> kept_;
  std::size_t looked_up_ = 0;
  core::failure_rate_limiter unknown_sessions_;
  /// Apart from that of people: a program with an old key keeps nobody from signing in.
  core::login_rate_limiter key_gate_;
  /// By digest; also those of before, which are never held up.
  std::unordered_map<std::string, kept_key> kept_keys_;
  /// Number of times that sessions or keys were ended here: an answer of the store from before is not kept.
  std::uint64_t epoch_ = 0;
};

} // namespace ringmaster::actors
