#pragma once

// Open sessions as users and administrators see them.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/ids.hpp"
#include "core/page.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// Number of hexadecimal digits of a digest that are the id of its session: 52 bits, which every JSON reader keeps exactly.
inline constexpr std::size_t session_id_digits = 13;

/// Returns the id of the session with this digest: the number that its first digits are. It reveals nothing of the cookie.
[[nodiscard]] session_id session_id_of(std::string_view digest) noexcept;

/// Returns the first digits of the digests whose sessions have this id. An id that no session has gives more digits or another
/// text: compare `session_id_of` of what it finds.
[[nodiscard]] std::string digest_prefix_of(session_id id);

/// A row of `rm_session` without its digest.
struct open_session {
  session_id id{};
  user_id user{};
  std::string user_name;
  time_point opened{};
  /// Time at which the session expires.
  time_point expires{};
  /// Last recorded use; a later use is recorded at most once a minute. Without a value: not known,
  /// because a session that lasts as long as any can is not extended.
  std::optional<time_point> used = {};
  std::string remote = {};
};

/// Search for open sessions; the result begins with the newest.
struct session_search {
  /// Only sessions of this user.
  std::optional<user_id> user = {};
  /// Sessions that were opened longer ago have ended.
  milliseconds max_age{};
  page_window window = {};
};

} // namespace ringmaster::core
