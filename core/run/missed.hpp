#pragma once

// Instants that a job's misfire policy dropped.

#include <cstddef>

#include "core/time.hpp"

namespace ringmaster::core {

/// Successive instants of one job that were not sent: one row of the log.
struct missed_instants {
  std::size_t count = 0;
  time_point first{};
  time_point last{};
  friend bool operator==(const missed_instants&, const missed_instants&) = default;
};

} // namespace ringmaster::core
