#pragma once

// Messages to people: mail by SMTP, webhooks by HTTP. The only seam to libcurl.

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
  /// Of the sender's name.
  core::language language = core::language::en;
};

/// Sends to the channels as they are configured at last.
class channel_notifier : public protocol::notifier {
public:
  /// Takes other channels; messages that are on their way end as `unavailable`, and their sender repeats them. Blocks until they
  /// have.
  virtual void reload(notification_settings settings) = 0;
};

/// One thread for all channels. A channel has at most four messages on their way and a bounded queue, so that one that hangs
/// holds up no other. Redirects are not followed, proxies of the environment not used; a link-local or metadata address is
/// refused on the very socket that would go there. Its end is a `stop`.
[[nodiscard]] std::unique_ptr<channel_notifier> make_notifier(notification_settings settings);

/// Why a channel cannot work, as far as the settings show it: nothing is sent. Errors: `not_found` for a channel that is not
/// configured, `invalid_argument`.
[[nodiscard]] core::result<void> check_channel(const notification_settings& settings, std::string_view channel);

/// Goes to the channel as far as a message would begin (connect, TLS, sign in), and sends none. Blocks for at most five seconds.
/// Errors: as `check_channel`, and what the other side says.
[[nodiscard]] core::result<void> probe_channel(const notification_settings& settings, std::string_view channel);

/// `10.0.0.1` and the like: whether a message may go there.
[[nodiscard]] bool is_allowed_address(std::string_view ip);

} // namespace ringmaster::gateway
