#pragma once

// `[[alarm]]` of a file of declared jobs. Internal to config.

#include "config/text/toml_file.hpp"
#include "core/editing/declared.hpp"

namespace ringmaster::config {

/// What is wrong is added to `found`.
[[nodiscard]] core::declared_alarm read_alarm(const toml::table& table, problems& found);

} // namespace ringmaster::config
