#pragma once

// Requests and answers of chat services.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/alarm/alarm_text.hpp"
#include "core/result.hpp"

namespace ringmaster::protocol::wire {

enum class webhook_preset : std::uint8_t { generic, dingtalk, wecom, feishu, slack };

/// Returns the preset `generic`, `dingtalk`, `wecom`, `feishu` or `slack`.
[[nodiscard]] std::optional<webhook_preset> find_webhook_preset(std::string_view name) noexcept;

/// Proof that the sender knows the webhook's secret, in the service's form.
struct webhook_signature {
  std::string timestamp;
  /// base64
  std::string sign;
};

/// Returns the JSON body. Text that a service would read as a mention of a user is made plain text; text that is too long for the
/// service is cut.
[[nodiscard]] std::string webhook_body(webhook_preset preset, const core::alarm_message& message,
                                       const std::optional<webhook_signature>& signature);

/// Returns a body from a template: `{placeholders}` are the message's fields, `timestamp` and `sign`, written as the inside of a
/// JSON string.
[[nodiscard]] std::string webhook_body(std::string_view body_template, const core::alarm_message& message,
                                       const std::optional<webhook_signature>& signature);

/// Evaluates an answer. Errors: `unavailable` (may succeed later), `invalid_argument` (never).
[[nodiscard]] core::result<void> webhook_verdict(webhook_preset preset, long status, std::string_view body);

} // namespace ringmaster::protocol::wire
