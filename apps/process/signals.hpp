#pragma once

#include <chrono>
#include <optional>

namespace ringmaster::apps {

enum class signal_event { stop, reload };

/// Blocks SIGTERM, SIGINT and SIGHUP for this thread and all threads it starts, and ignores SIGPIPE. Call before the first
/// thread.
void block_signals();

/// Waits for the next of these signals; returns nullopt after `limit`. SIGTERM and SIGINT are `stop`, SIGHUP is `reload`.
[[nodiscard]] std::optional<signal_event> wait_for_signal(std::chrono::milliseconds limit);

/// Sends SIGTERM to this process, so that `wait_for_signal` returns `stop`.
void ask_to_stop();

} // namespace ringmaster::apps
