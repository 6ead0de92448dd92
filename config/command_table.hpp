#pragma once

// `[[command]]` of the configuration. Internal to config.

#include <vector>

#include "config/settings.hpp"
#include "config/text/toml_file.hpp"

namespace ringmaster::config {

/// Every command that is right; a problem for whatever is wrong.
[[nodiscard]] std::vector<command_settings> read_commands(const toml::source_region& at, const toml::node& node, problems& found);

} // namespace ringmaster::config
