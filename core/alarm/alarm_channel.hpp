#pragma once

#include <string>

namespace ringmaster::core {

/// A configured channel of alarms, without its secrets.
struct alarm_channel {
  /// `mail`, or the name of a webhook.
  std::string name;
  /// `mail`, or the webhook's preset.
  std::string kind;
  /// Host and port that messages are sent to.
  std::string place;
  /// Address of the sender; empty for a webhook.
  std::string sender = {};
};

} // namespace ringmaster::core
