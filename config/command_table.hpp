#pragma once

// `[[command]]` of the configuration. Internal to config.

#include <vector>

#include "config/settings.hpp"
#include "config/text/toml_file.hpp"

namespace ringmaster::config {

/// Returns every valid command, and adds a problem for each error.
[[nodiscard]] std::vector<command_settings> read_commands(const toml::source_region& at, const toml::node& node, problems& found);

} // namespace ringmaster::config
