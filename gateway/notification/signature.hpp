#pragma once

// Proofs that chat services ask for.

#include <string>
#include <string_view>

#include "core/time.hpp"
#include "protocol/wire/webhook_body.hpp"

namespace ringmaster::gateway {

/// HMAC-SHA256, key the secret, text the milliseconds, a line feed and the secret.
[[nodiscard]] protocol::wire::webhook_signature sign_dingtalk(const std::string& secret, core::time_point now);

/// HMAC-SHA256 of nothing, key the seconds, a line feed and the secret.
[[nodiscard]] protocol::wire::webhook_signature sign_feishu(const std::string& secret, core::time_point now);

/// For a query.
[[nodiscard]] std::string percent_encoded(std::string_view text);

} // namespace ringmaster::gateway
