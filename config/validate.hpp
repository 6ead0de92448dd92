#pragma once

// What no single setting can say about itself: forms and relations between settings.

#include "config/settings.hpp"
#include "core/result.hpp"

namespace ringmaster::config {

/// Errors: `invalid_argument`; one line for each thing wrong: full option path, value, what is allowed. Never a secret. Looks
/// zones up in the system's database, touches nothing else.
[[nodiscard]] core::result<void> validate(const settings& values);

} // namespace ringmaster::config
