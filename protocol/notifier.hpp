#pragma once

// Interface for messages to users: a message, a channel, its outcome. No socket, no SMTP, no CAF.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/alarm/alarm_channel.hpp"
#include "core/alarm/alarm_text.hpp"
#include "core/elastic/error_target.hpp"
#include "core/result.hpp"

namespace ringmaster::protocol {

/// Channel name of `[mail]`; all others are names of webhooks.
inline constexpr std::string_view mail_channel = "mail";

struct notice {
  /// `mail`, or the name of a webhook. With a target: empty for the target's own place.
  std::string channel;
  /// One address; empty for a webhook.
  std::string recipient;
  /// Equal for each try of one message; without the domain.
  std::string message_id;
  core::alarm_message message;
  /// Place that the properties of an elastic job name; null: none. Used only if the configuration allows its host. Otherwise the
  /// message goes to the first configured channel of the same kind.
  std::shared_ptr<const core::elastic::error_target> target = nullptr;
};

/// Sender of messages to the channels of the configuration, and to places that it allows. Any thread.
class notifier {
public:
  /// Called once for each notice, on a thread of the notifier or of the sender, which it must not block.
  using done = std::function<void(core::result<void>)>;

  virtual ~notifier() = default;

  /// Sends a message without blocking. Errors: `unavailable` or `timeout` (may succeed later), `not_found` (the channel is not
  /// configured, which may change; no channel for a target), `invalid_argument` (refused permanently: an unknown address, a
  /// forbidden address, an answer that says so).
  virtual void send(notice what, done then) = 0;

  /// Returns the configured channels: mail first, then webhooks in the order of the configuration.
  [[nodiscard]] virtual std::vector<core::alarm_channel> channels() const = 0;

  /// Gives up messages on their way and ends the threads; later messages are refused. Called before the receivers of outcomes are
  /// destroyed.
  virtual void stop() = 0;
};

} // namespace ringmaster::protocol
