#pragma once

#include "config/settings.hpp"
#include "core/text/language.hpp"
#include "gateway/notification/notification.hpp"

namespace ringmaster::apps {

/// Returns the alarm channels of the configuration.
[[nodiscard]] inline gateway::notification_settings notification_of(const config::settings& settings) {
  return {settings.mail, settings.alarm, settings.webhooks,
          core::find_language(settings.server.language).value_or(core::language::en)};
}

} // namespace ringmaster::apps
