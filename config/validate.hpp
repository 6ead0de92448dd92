#pragma once

// What no single setting can say about itself: forms and relations between settings.

#include <string_view>

#include "config/settings.hpp"
#include "config/text/origins.hpp"
#include "core/result.hpp"

namespace ringmaster::config {

/// At most 64 letters, digits, '-', '_' and '.'.
[[nodiscard]] bool is_node_name(std::string_view name);

/// Errors: `invalid_argument`; one line for each thing wrong: where it was set, full option path, value, what is allowed. Never a
/// secret. What depends on a refused key is not judged. Looks zones up in the system's database, touches nothing else.
[[nodiscard]] core::result<void> validate(const settings& values, const origins& from = {});

} // namespace ringmaster::config
