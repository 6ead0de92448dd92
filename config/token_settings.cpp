#include "config/token_settings.hpp"

#include "config/text/units.hpp"

namespace ringmaster::config {

core::common_tokens common_tokens_of(const security_settings& settings, const std::string& made) {
  return {settings.access_token.empty() ? made : settings.access_token, settings.former_access_token,
          parse_utc(settings.former_access_token_until)};
}

} // namespace ringmaster::config
