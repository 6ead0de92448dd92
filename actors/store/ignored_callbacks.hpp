#pragma once

// Warnings about callbacks that the store acknowledged without writing anything.

#include <cstddef>
#include <vector>

#include "actors/logger.hpp"
#include "core/run/run.hpp"

namespace ringmaster::actors {

inline void warn_of_ignored_callbacks(const logger& log, const core::record_outcome& outcome) {
  const auto warn = [&log](const std::vector<core::log_id>& runs, const char* why) {
    if (!runs.empty())
      log->warn("run={} and {} more: {}", core::number(runs.front()), runs.size() - 1, why);
  };
  warn(outcome.foreign_callbacks, "refused results from an executor of another group");
  warn(outcome.outdated_callbacks, "late results of earlier runs with the same id are ignored");
}

} // namespace ringmaster::actors
