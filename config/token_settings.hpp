#pragma once

#include <string>

#include "config/settings.hpp"
#include "config/text/units.hpp"
#include "core/access/access_token.hpp"

namespace ringmaster::config {

/// Returns the common tokens of valid settings. `made`: the generated token, used if the settings contain none.
[[nodiscard]] inline core::common_tokens common_tokens_of(const security_settings& settings, const std::string& made) {
  return {settings.access_token.empty() ? made : settings.access_token, settings.former_access_token,
          parse_utc(settings.former_access_token_until)};
}

} // namespace ringmaster::config
