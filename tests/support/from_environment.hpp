#pragma once

#include <cstdint>
#include <cstdlib>

namespace ringmaster::test {

/// Returns a number from the environment.
[[nodiscard]] inline std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const set = std::getenv(name);
  return set != nullptr ? std::strtoull(set, nullptr, 10) : otherwise;
}

} // namespace ringmaster::test
