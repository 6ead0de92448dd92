#pragma once

// Checks of forms and of relations between settings, beyond the range of each single setting.

#include <string_view>

#include "config/settings.hpp"
#include "config/text/diagnostics.hpp"
#include "core/result.hpp"

namespace ringmaster::config {

/// Returns true for at most 64 letters, digits, '-', '_' and '.'.
[[nodiscard]] bool is_node_name(std::string_view name);

/// Validates the settings. Errors: `invalid_argument`; one line for each error: place, full option path, value, allowed values.
/// Never a secret. Settings that depend on a refused key are not checked. Looks zones up in the system's database and has no
/// other effects.
[[nodiscard]] core::result<void> validate(const settings& values, const origins& from = {});

} // namespace ringmaster::config
