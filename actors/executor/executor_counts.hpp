#pragma once

#include <atomic>
#include <cstddef>

namespace ringmaster::actors {

/// The workload of an executor, shared by its actors: each actor changes its own part, all may read it.
struct executor_counts {
  /// Runs whose body is active and whose result is not reported yet.
  std::atomic<std::size_t> running{0};
  /// Runs that were accepted and have not begun.
  std::atomic<std::size_t> waiting{0};
  /// Results that no admin has yet, in memory and in files that were read.
  std::atomic<std::size_t> unreported{0};
};

} // namespace ringmaster::actors
