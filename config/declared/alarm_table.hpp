#pragma once

// `[[alarm]]` of a file of declared jobs. Internal to config.

#include "config/text/toml_file.hpp"
#include "core/editing/declared.hpp"

namespace ringmaster::config {

/// Reads one table and adds a problem to `found` for each error.
[[nodiscard]] core::declared_alarm read_alarm(const toml::table& table, problems& found);

} // namespace ringmaster::config
