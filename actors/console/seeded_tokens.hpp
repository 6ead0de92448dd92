#pragma once

#include <random>

namespace ringmaster::actors {

/// Returns a generator of tokens of orders that come without one, with a seed that no other process has.
[[nodiscard]] inline std::mt19937_64 seeded_tokens() {
  std::random_device source;
  std::seed_seq seed{source(), source(), source(), source()};
  return std::mt19937_64{seed};
}

} // namespace ringmaster::actors
