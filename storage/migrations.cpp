#include "storage/migrations.hpp"

#include <algorithm>

namespace ringmaster::storage {

core::result<std::vector<migration_step>> steps_to_run(std::span<const migration_step> known, std::span<const int> applied) {
  auto is_known = [known](int number) {
    return std::any_of(known.begin(), known.end(), [number](const migration_step& step) { return step.number == number; });
  };
  auto foreign = std::find_if_not(applied.begin(), applied.end(), is_known);
  if (foreign != applied.end())
    return core::fail(core::errc::unsupported,
                      "the database has schema step " + std::to_string(*foreign) +
                        ", which this release does not know: a newer release wrote it; install that one or restore a backup");
  std::vector<migration_step> steps;
  for (const auto& step : known)
    if (std::find(applied.begin(), applied.end(), step.number) == applied.end())
      steps.push_back(step);
  return steps;
}

} // namespace ringmaster::storage
