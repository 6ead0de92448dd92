#pragma once

// What chat services expect to be posted, and what their answers mean.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/alarm/alarm_text.hpp"
#include "core/result.hpp"

namespace ringmaster::protocol::wire {

enum class webhook_preset : std::uint8_t { generic, dingtalk, wecom, feishu, slack };

/// `generic`, `dingtalk`, `wecom`, `feishu`, `slack`.
[[nodiscard]] std::optional<webhook_preset> find_webhook_preset(std::string_view name) noexcept;

/// Proof that the sender knows the webhook's secret, as the service wants it.
struct webhook_signature {
  std::string timestamp;
  /// Base64.
  std::string sign;
};

/// JSON. Text that a service would read as a mention of somebody is only text; what is too long for it is cut.
[[nodiscard]] std::string webhook_body(webhook_preset preset, const core::alarm_message& message,
                                       const std::optional<webhook_signature>& signature);

/// A body of one's own: `{placeholders}` are the message's fields, `timestamp` and `sign`, written as the inside of a JSON
/// string.
[[nodiscard]] std::string webhook_body(std::string_view body_template, const core::alarm_message& message,
                                       const std::optional<webhook_signature>& signature);

/// What an answer says. Errors: `unavailable` (later perhaps), `invalid_argument` (never).
[[nodiscard]] core::result<void> webhook_verdict(webhook_preset preset, long status, std::string_view body);

} // namespace ringmaster::protocol::wire
