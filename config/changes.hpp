#pragma once

// What differs between two readings of the configuration, for a reload.

#include <string>
#include <vector>

#include "config/settings.hpp"

namespace ringmaster::config {

/// Names of settings, in the order of `all_settings`; `webhook` stands for the list of `[[webhook]]`.
struct changed_settings {
  /// Those that a reload takes over: channels of alarms, the log level, the common token, and what is declared.
  std::vector<std::string> reloaded;
  /// Those that only a restart takes over.
  std::vector<std::string> waiting;
};

/// Values are compared and never named: some are secrets.
[[nodiscard]] changed_settings changes_of(const settings& before, const settings& after);

} // namespace ringmaster::config
