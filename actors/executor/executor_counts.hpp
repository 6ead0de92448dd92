#pragma once

#include <atomic>
#include <cstddef>

namespace ringmaster::actors {

/// How much an executor has in hand, shared by its actors: each changes its own part, everybody may look.
struct executor_counts {
  /// Runs whose body works and whose result is not reported yet.
  std::atomic<std::size_t> running{0};
  /// Runs that were taken and did not begin.
  std::atomic<std::size_t> waiting{0};
  /// Results that no admin has yet, in memory and in files that were read.
  std::atomic<std::size_t> unreported{0};
};

} // namespace ringmaster::actors
