#include "tests/simulation/report.hpp"

#include <cstdlib>
#include <iostream>

namespace ringmaster::simulation {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* set = std::getenv(name);
  return set != nullptr ? std::strtoull(set, nullptr, 10) : otherwise;
}

void report(const history& what, const outcome& found, const std::string& again) {
  std::cout << describe(what);
  for (const auto& line : found.trace)
    std::cout << "    " << line << '\n';
  for (const auto& line : found.violations)
    std::cout << "  violated: " << line << '\n';
  std::cout << "  again: " << again << '\n';
}

} // namespace ringmaster::simulation
