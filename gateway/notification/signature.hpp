#pragma once

// Signatures that chat services require.

#include <string>

#include "core/time.hpp"
#include "protocol/wire/webhook_body.hpp"

namespace ringmaster::gateway {

/// Returns HMAC-SHA256 with the secret as key; the text is the milliseconds, a line feed and the secret.
[[nodiscard]] protocol::wire::webhook_signature sign_dingtalk(const std::string& secret, core::time_point now);

/// Returns HMAC-SHA256 of an empty text; the key is the seconds, a line feed and the secret.
[[nodiscard]] protocol::wire::webhook_signature sign_feishu(const std::string& secret, core::time_point now);

} // namespace ringmaster::gateway
