#pragma once

#include <chrono>
#include <functional>

#include <ctime>

namespace ringmaster::executor::elastic {

/// CLOCK_BOOTTIME, which goes on while the machine sleeps. Leases of item runs are times of this clock.
using boot_time = std::chrono::nanoseconds;
/// Any thread.
using boot_clock = std::function<boot_time()>;

/// Reads the clock of this machine.
[[nodiscard]] inline boot_time boot_now() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
}

} // namespace ringmaster::executor::elastic
