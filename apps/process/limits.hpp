#pragma once

#include <cstddef>
#include <cstdint>

#include "actors/logger.hpp"
#include "config/settings.hpp"
#include "core/result.hpp"

namespace ringmaster::apps {

/// Connections that clients may have at once when the process may have `files` open at once: the rest is for executors, the
/// database and everything else.
[[nodiscard]] std::size_t connections_allowed(std::size_t wanted, std::uint64_t files) noexcept;

/// Raises the soft limit of open files to the hard one, and fits the settings to it: lowers `server.connections_max` to what it
/// allows, with a log line, and sets `trigger.connections_ahead_max` and `executor.limits.open_files`.
/// Errors: `unavailable` when it is too low to serve at all.
[[nodiscard]] core::result<void> fit_to_open_files(config::settings& settings, actors::logger& log);

} // namespace ringmaster::apps
