#pragma once

// One `[[group]]` and one `[[job]]` of a declared file. Internal to config.

#include "config/text/toml_file.hpp"
#include "core/editing/declared.hpp"

namespace ringmaster::config {

/// Read one table. Errors are added to `found`; the returned value is then incomplete.
[[nodiscard]] core::declared_group read_group(const toml::table& table, problems& found);
[[nodiscard]] core::declared_job read_job(const toml::table& table, problems& found);

} // namespace ringmaster::config
