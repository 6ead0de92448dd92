#pragma once

// How the rest of Ringmaster tells people something: a message, a channel, what became of it. No socket, no SMTP, no CAF.

#include <functional>
#include <string>
#include <string_view>

#include "core/alarm/alarm_text.hpp"
#include "core/result.hpp"

namespace ringmaster::protocol {

/// The channel of `[mail]`; all others are names of webhooks.
inline constexpr std::string_view mail_channel = "mail";

struct notice {
  /// `mail`, or the name of a webhook.
  std::string channel;
  /// One address; empty for a webhook.
  std::string recipient;
  /// The same for each try of one message; without the domain.
  std::string message_id;
  core::alarm_message message;
};

/// Sends messages to the channels of the configuration, and nowhere else. Any thread.
class notifier {
public:
  /// Called once a notice, on a thread of the notifier's or the sender's own, which it must not block.
  using done = std::function<void(core::result<void>)>;

  virtual ~notifier() = default;

  /// Never blocks. Errors: `unavailable` or `timeout` (may succeed later), `not_found` (the channel is not configured,
  /// which may change), `invalid_argument` (refused for good: an unknown address, a forbidden place, an answer that says so).
  virtual void send(notice what, done then) = 0;

  /// Gives up what is on its way and ends the threads; what comes later is refused. Before whoever waits for an answer goes.
  virtual void stop() = 0;
};

} // namespace ringmaster::protocol
