#pragma once

// Intervals of log_keeper and its parts.

#include <chrono>

namespace ringmaster::actors {

inline constexpr std::chrono::milliseconds keeper_period{1'000};
/// Pause between two steps while there is more to do.
inline constexpr std::chrono::milliseconds keeper_busy_pause{20};
/// Delay after a failure of the store.
inline constexpr std::chrono::milliseconds keeper_retry{5'000};

} // namespace ringmaster::actors
