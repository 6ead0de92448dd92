#pragma once

#include <string>

#include "config/settings.hpp"
#include "core/access/access_token.hpp"

namespace ringmaster::config {

/// Returns the common tokens of valid settings. `made`: the generated token, used if the settings contain none.
[[nodiscard]] core::common_tokens common_tokens_of(const security_settings& settings, const std::string& made);

} // namespace ringmaster::config
