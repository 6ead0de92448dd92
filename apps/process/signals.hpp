#pragma once

#include <chrono>
#include <optional>

namespace ringmaster::apps {

enum class signal_event { stop, reload };

/// Blocks SIGTERM, SIGINT and SIGHUP for this thread and all it starts, ignores SIGPIPE. Call before the first thread.
void block_signals();

/// Waits for the next of them; nothing when `limit` is over. SIGTERM and SIGINT are `stop`, SIGHUP is `reload`.
[[nodiscard]] std::optional<signal_event> wait_for_signal(std::chrono::milliseconds limit);

/// Sends this process SIGTERM, so that whoever waits stops.
void ask_to_stop();

} // namespace ringmaster::apps
