#pragma once

// Users as administrators keep them, and sessions.

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
/// In our own form, which Java admins do not read.
inline constexpr std::size_t own_password_chars_min = 8;
inline constexpr std::size_t password_chars_max = 20;
/// Of passwords that are kept as Argon2id.
inline constexpr std::size_t long_password_bytes_max = 1024;

/// How a password is stored: as the Java admins of a schema read it (XXL admin §8.2, §8.3), or as we keep it.
enum class password_form : std::uint8_t { md5, sha256, argon2id };

/// The password that XXL-JOB begins with: whoever has it must choose another one.
[[nodiscard]] bool is_known_password(std::string_view password) noexcept;
/// MD5 or SHA-256 of it.
[[nodiscard]] bool is_known_hash(std::string_view stored) noexcept;

/// A row of `xxl_job_user` without its secrets.
struct user_card {
  user_id id{};
  std::string name;
  bool admin = false;
  /// Groups of XXL's permission list are `editor`; finer ones are rows of `rm_group_right`. Ascending by group.
  std::vector<std::pair<group_id, group_right>> rights = {};
};

/// With what is needed to check a password; never leaves the node.
struct user_secret {
  user_card card;
  /// As stored: MD5 or SHA-256 in hexadecimal digits (XXL admin §8.2, §8.3), or `$argon2id$…`.
  std::string password_hash;
};

/// What an administrator types. An absent part is kept.
struct user_draft {
  /// Only of a new user: a name never changes.
  std::string name;
  /// Stored form of the new password.
  std::optional<std::string> password_hash = {};
  bool admin = false;
  std::optional<std::vector<std::pair<group_id, group_right>>> rights = {};
  /// `rights` comes of somebody who knows of no finer rights than `editor`, XXL's form: those that the user has in groups which
  /// it does not name stay, and groups that it names need not be there.
  bool keeps_finer = false;
};

struct user_search {
  /// A part of the name; empty: all.
  std::string name_part;
  std::optional<bool> admin = {};
  page_window window;
};

/// A session as it is stored: only a digest of what the cookie holds.
struct session {
  /// SHA-256 of the cookie's value, 64 hexadecimal digits.
  std::string digest;
  user_id user{};
  time_point opened{};
  /// It is over from then on.
  time_point expires{};
  std::string remote = {};
};

/// What an open session says about its user.
struct found_session {
  /// With the rights that he has now; `remote` is empty, because it is that of a request.
  principal who;
  /// His password is one that everybody knows (`is_known_hash`).
  bool known_password = false;
  time_point opened{};
  time_point expires{};
  /// From its opening to its first end.
  milliseconds lifetime{};
};

/// Nobody changes his own account this way, so that an administrator always remains. Errors: `forbidden` with `own_account`.
[[nodiscard]] result<void> check_other_account(const principal& by, user_id user);

} // namespace ringmaster::core
