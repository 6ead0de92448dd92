#pragma once

// Users as administrators edit them, and sessions.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/access/principal.hpp"
#include "core/ids.hpp"
#include "core/page.hpp"
#include "core/result.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

inline constexpr std::size_t user_name_chars_min = 4;
inline constexpr std::size_t user_name_chars_max = 20;
inline constexpr std::size_t password_chars_min = 4;
/// Minimum in Ringmaster's own form, which Java admins cannot read.
inline constexpr std::size_t own_password_chars_min = 8;
inline constexpr std::size_t password_chars_max = 20;
/// Maximum for passwords that are stored as Argon2id.
inline constexpr std::size_t long_password_bytes_max = 1024;

/// Stored form of a password: one that the Java admins of a schema read (XXL admin §8.2, §8.3), or Ringmaster's own.
enum class password_form : std::uint8_t { md5, sha256, argon2id };

/// Returns true for XXL-JOB's default password. A user who has it must choose another one.
[[nodiscard]] inline bool is_known_password(std::string_view password) noexcept { return password == "123456"; }
/// Returns true for the MD5 or SHA-256 of the default password.
[[nodiscard]] inline bool is_known_hash(std::string_view stored) noexcept {
  return stored == "e10adc3949ba59abbe56e057f20f883e"
         || stored == "8d969eef6ecad3c29a3a629280e686cf0c3f5d5a86aff3ca12020c923adc6c92";
}

/// A row of `xxl_job_user` without its secrets.
struct user_card {
  user_id id{};
  std::string name;
  bool admin = false;
  /// Groups of XXL's permission list are `editor`; finer permissions are rows of `rm_group_right`. Ascending by group.
  std::vector<std::pair<group_id, group_right>> rights = {};
};

/// A user with the hash that checks the password; never leaves the node.
struct user_secret {
  user_card card;
  /// As stored: MD5 or SHA-256 in hexadecimal digits (XXL admin §8.2, §8.3), or `$argon2id$…`.
  std::string password_hash;
};

/// An administrator's edit of a user. An absent part stays unchanged.
struct user_draft {
  /// Only for a new user: a name never changes.
  std::string name;
  /// Stored form of the new password.
  std::optional<std::string> password_hash = {};
  bool admin = false;
  std::optional<std::vector<std::pair<group_id, group_right>>> rights = {};
  /// True if `rights` comes from XXL's form, which knows no finer permission than `editor`. Finer permissions in groups that the
  /// form does not name are kept, and groups that it names need not exist.
  bool keeps_finer = false;
};

struct user_search {
  /// A part of the name; empty: all.
  std::string name_part;
  std::optional<bool> admin = {};
  page_window window;
};

/// A stored session. It holds only a digest of the cookie's value.
struct session {
  /// SHA-256 of the cookie's value, 64 hexadecimal digits.
  std::string digest;
  user_id user{};
  time_point opened{};
  /// Time at which the session expires.
  time_point expires{};
  std::string remote = {};
  /// Opened with a one-time link in place of a password. Only the audit log keeps it.
  bool by_link = false;
};

/// An open session and its user.
struct found_session {
  /// The user with their present permissions. `remote` is empty, because it belongs to a request.
  principal who;
  /// The user has the default password (`is_known_hash`).
  bool known_password = false;
  time_point opened{};
  time_point expires{};
  /// Time from the session's start to its first expiry.
  milliseconds lifetime{};
};

/// Refuses users who edit their own account, so that an administrator always remains. Errors: `forbidden` with `own_account`.
[[nodiscard]] inline result<void> check_other_account(const principal& by, user_id user) {
  if (by.user == user)
    return refuse(errc::forbidden, refusal::own_account, "users cannot change or remove their own account this way");
  return {};
}

} // namespace ringmaster::core
