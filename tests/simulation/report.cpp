#include "tests/simulation/report.hpp"

#include <cstdlib>
#include <iostream>

namespace ringmaster::simulation {

void report(const history& what, const outcome& found, const std::string& again) {
  std::cout << describe(what);
  for (const auto& line : found.trace)
    std::cout << "    " << line << '\n';
  for (const auto& line : found.violations)
    std::cout << "  violated: " << line << '\n';
  std::cout << "  again: " << again << '\n';
}

} // namespace ringmaster::simulation
