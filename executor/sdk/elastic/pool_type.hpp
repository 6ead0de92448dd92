#pragma once

#include <cstddef>

namespace ringmaster::executor::elastic {

/// A limit of the items of one job that run at the same time in one process. It has no threads: further items wait, in the order
/// of their grants, and can be cancelled meanwhile.
struct pool_type {
  virtual ~pool_type() = default;
  /// Returns the limit, at least 1. Called once, when the executor starts. `processors`: number of processors, at least 1.
  [[nodiscard]] virtual std::size_t limit(std::size_t processors) const = 0;
};

} // namespace ringmaster::executor::elastic
