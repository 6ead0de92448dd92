#pragma once

// Places of messages whose target is named by the properties of an elastic job (docs/adr/0039).

#include <string>

#include "core/elastic/error_target.hpp"
#include "core/result.hpp"
#include "gateway/notification/notification.hpp"

namespace ringmaster::gateway {

/// Returns whether `elastic.error_targets` has the host of the target, with or without its port.
[[nodiscard]] bool is_allowed_target(const core::elastic::error_target& target, const std::vector<std::string>& allowed);

/// Decides where a message with a target goes. It keeps the target if it is allowed, and gets a queue by its host. Otherwise it
/// loses the target and gets a configured channel: the one that the target names, or the first of its kind. Errors: `not_found`.
[[nodiscard]] core::result<void> place(protocol::notice& what, const notification_settings& settings);

/// Return the target as a channel of the configuration.
[[nodiscard]] config::mail_settings mail_of(const core::elastic::error_target& target);
[[nodiscard]] config::webhook_settings webhook_of(const core::elastic::error_target& target);

} // namespace ringmaster::gateway
