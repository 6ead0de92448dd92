#pragma once

#include <cstddef>
#include <cstdint>

#include "actors/logger.hpp"
#include "config/settings.hpp"
#include "core/result.hpp"

namespace ringmaster::apps {

/// Returns the maximum number of simultaneous client connections, at most `wanted`, for a process that may open `files` files.
/// The rest is reserved for executors, the database and everything else.
[[nodiscard]] std::size_t connections_allowed(std::size_t wanted, std::uint64_t files) noexcept;

/// Raises the soft limit of open files to the hard one and adapts the settings: lowers `server.connections_max` if needed
/// (logged), and sets `trigger.connections_ahead_max` and `executor.limits.open_files`.
/// Errors: `unavailable` when the limit is too low to serve at all.
[[nodiscard]] core::result<void> fit_to_open_files(config::settings& settings, actors::logger& log);

} // namespace ringmaster::apps
