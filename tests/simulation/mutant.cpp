#include "tests/simulation/mutant.hpp"

namespace ringmaster::simulation {

const std::vector<mutant>& all_mutants() {
  static const std::vector<mutant> all;
  return all;
}

const mutant* find_mutant(const std::string& rule) {
  for (const auto& one : all_mutants())
    if (one.rule == rule)
      return &one;
  return nullptr;
}

} // namespace ringmaster::simulation
