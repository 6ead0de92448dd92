#pragma once

#include <chrono>
#include <cstddef>

namespace ringmaster::executor {

/// Of a program or script that runs.
struct program_limits {
  /// Data of each of its processes; 0: no limit of ours.
  std::size_t memory_bytes_max = 0;
  /// Output of a run; what is beyond it is dropped.
  std::size_t output_bytes_max = 64 * 1024 * 1024;
  /// A stop sends TERM, and after this time KILL; 0: KILL at once.
  std::chrono::milliseconds kill_grace{1000};
};

} // namespace ringmaster::executor
