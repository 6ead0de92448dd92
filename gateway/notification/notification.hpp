#pragma once

// Messages to users: mail by SMTP, webhooks by HTTP. Calls go through `protocol/curl`.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.hpp"
#include "core/result.hpp"
#include "core/text/language.hpp"
#include "protocol/notifier.hpp"

namespace ringmaster::gateway {

struct notification_settings {
  config::mail_settings mail;
  config::alarm_settings alarm;
  std::vector<config::webhook_settings> webhooks;
  /// Language of the sender's name.
  core::language language = core::language::en;
  /// Hosts that properties of elastic jobs may name, each with or without a port.
  std::vector<std::string> error_targets = {};
};

/// Notifier that sends to the configured channels.
class channel_notifier : public protocol::notifier {
public:
  /// Replaces the channels. Messages on their way end as `unavailable`, and their sender repeats them. Blocks until they have
  /// ended.
  virtual void reload(notification_settings settings) = 0;
};

/// Makes a notifier with one thread for all channels. A channel has at most four messages on their way and a bounded queue, so
/// that a hanging channel delays no other. Redirects are not followed, and proxies of the environment are not used. A link-local
/// or metadata address is refused on the socket itself, before it connects. The destructor stops the notifier.
[[nodiscard]] std::unique_ptr<channel_notifier> make_notifier(notification_settings settings);

/// Returns the channels of the settings. A webhook's address holds a secret: only its host and port are shown.
[[nodiscard]] std::vector<core::alarm_channel> channels_of(const notification_settings& settings);

/// Checks a channel as far as the settings show, without sending. Errors: `not_found` for a channel that is not configured,
/// `invalid_argument`.
[[nodiscard]] core::result<void> check_channel(const notification_settings& settings, std::string_view channel);

/// Probes a channel as far as a message would begin (connect, TLS, sign in), without sending. Blocks for at most five seconds,
/// and about a second after `go_on` has returned false; null: always true. Errors: as `check_channel`, and the other side's
/// message.
[[nodiscard]] core::result<void> probe_channel(const notification_settings& settings, std::string_view channel,
                                               const std::function<bool()>& go_on = {});

/// Returns true for an IP address, e.g. `10.0.0.1`, that a message may be sent to.
[[nodiscard]] bool is_allowed_address(std::string_view ip);

} // namespace ringmaster::gateway
