#pragma once

// Differences between two readings of the configuration, for a reload.

#include <string>
#include <vector>

#include "config/settings.hpp"

namespace ringmaster::config {

/// Names of settings, in the order of `all_settings`; `webhook` stands for the list of `[[webhook]]`.
struct changed_settings {
  /// Settings that a reload applies: channels of alarms, the log level, the common token, and the declarations.
  std::vector<std::string> reloaded;
  /// Settings that only a restart applies.
  std::vector<std::string> waiting;
};

/// Compares two readings. The result names settings but no values, because some are secrets.
[[nodiscard]] changed_settings changes_of(const settings& before, const settings& after);

} // namespace ringmaster::config
