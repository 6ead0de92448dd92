#pragma once

#include <array>
#include <cstdint>
#include <random>

#include "tests/simulation/history.hpp"

namespace ringmaster::simulation {

/// A random source that depends only on a seed.
class dice {
public:
  explicit dice(std::uint64_t seed) : random_{seed} {}
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  /// Returns an index of `count` things.
  int index(int count) { return static_cast<int>(below(static_cast<std::uint64_t>(count))); }
  bool one_in(std::uint64_t count) { return below(count) == 0; }
  milliseconds between(std::int64_t least, std::int64_t most) {
    return milliseconds{least + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(most - least + 1)))};
  }
  template <class T, std::size_t count>
  T of(const std::array<T, count>& choices) {
    return choices[below(count)];
  }

private:
  std::mt19937_64 random_;
};

} // namespace ringmaster::simulation
