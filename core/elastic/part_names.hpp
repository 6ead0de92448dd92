#pragma once

// Names of pools and error handlers that every host has (EJ §13, §14). A host may have others, by its own program.

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "core/text/ascii_case.hpp"

namespace ringmaster::core::elastic {

inline constexpr std::string_view cpu_pool = "CPU";
inline constexpr std::string_view single_thread_pool = "SINGLE_THREAD";
inline constexpr std::array pool_names{cpu_pool, single_thread_pool};

inline constexpr std::string_view log_handler = "LOG";
inline constexpr std::string_view throw_handler = "THROW";
inline constexpr std::string_view ignore_handler = "IGNORE";
inline constexpr std::array error_handler_names{log_handler,
                                                throw_handler,
                                                ignore_handler,
                                                std::string_view{"EMAIL"},
                                                std::string_view{"WECHAT"},
                                                std::string_view{"DINGTALK"},
                                                std::string_view{"WEBHOOK"}};

/// Returns the name among `names` that differs at most in case; `given` itself if there is none.
[[nodiscard]] inline std::string_view spelled_as(std::span<const std::string_view> names, std::string_view given) noexcept {
  const auto found = std::find_if(names.begin(), names.end(), [&](auto each) { return equal_without_case(each, given); });
  return found == names.end() ? given : *found;
}

/// Returns the name of the pool that a job with this option has.
[[nodiscard]] constexpr std::string_view pool_of(std::string_view option) noexcept { return option.empty() ? cpu_pool : option; }
/// Returns the name of the error handler that a job with this option has.
[[nodiscard]] constexpr std::string_view error_handler_of(std::string_view option) noexcept {
  return option.empty() ? log_handler : option;
}
/// Returns the maximum number of items of one job that run at the same time on a host, by a built-in pool; 0: another pool.
[[nodiscard]] constexpr std::size_t built_in_limit(std::string_view pool, std::size_t processors) noexcept {
  return pool == single_thread_pool ? 1 : pool == cpu_pool ? 2 * std::max<std::size_t>(processors, 1) : 0;
}

} // namespace ringmaster::core::elastic
