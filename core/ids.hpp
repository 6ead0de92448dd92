#pragma once

// Identities. All are enums over the width of their XXL column, which prevents arithmetic and mix-ups.

#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>

namespace ringmaster::core {

enum class job_id : std::int32_t {};
enum class group_id : std::int32_t {};
/// The id of a run: `xxl_job_log.id`.
enum class log_id : std::int64_t {};
/// A row of `rm_intent`.
enum class intent_id : std::int64_t {};
/// A row of `xxl_job_user`.
enum class user_id : std::int32_t {};
/// A row of `rm_api_key`.
enum class api_key_id : std::int64_t {};
/// A row of `rm_session`, see `core/access/session.hpp`.
enum class session_id : std::int64_t {};

/// Highest possible id of a job.
inline constexpr job_id last_job_id{std::numeric_limits<std::int32_t>::max()};

/// Returns the number inside an id, for SQL, JSON and hashing.
template <class Id>
  requires std::is_enum_v<Id>
[[nodiscard]] constexpr auto number(Id id) noexcept {
  return static_cast<std::underlying_type_t<Id>>(id);
}

} // namespace ringmaster::core
