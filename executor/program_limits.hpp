#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace ringmaster::executor {

/// Limits of a program or script.
struct program_limits {
  /// Data of each of its processes; 0: no limit.
  std::size_t memory_bytes_max = 0;
  /// Output of a run; the rest is dropped.
  std::size_t output_bytes_max = 64 * 1024 * 1024;
  /// Time from TERM to KILL at a stop; 0: KILL at once.
  std::chrono::milliseconds kill_grace{1000};
  /// Soft limit of open files of each of its processes; 0: that of this process. For a host that raised its own limit: a program
  /// may not support descriptors above 1 023 (`select`).
  std::uint64_t open_files = 0;
};

} // namespace ringmaster::executor
