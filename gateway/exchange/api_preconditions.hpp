#pragma once

// What a request of /api/v1 says about repeating it and about edits meanwhile. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/access/principal.hpp"
#include "core/result.hpp"
#include "protocol/http.hpp"

namespace ringmaster::gateway {

/// `"tag"`.
[[nodiscard]] std::string etag_of(std::string_view tag);

/// What `If-Match` asks for.
struct wanted_tag {
  /// Nothing: any (`*`). Empty: one that was never given out.
  std::optional<std::string> tag;

  [[nodiscard]] bool matches(std::string_view current) const { return !tag || *tag == current; }
};
/// Nothing: the request has none. Errors: `invalid_argument` for what is no ETag, and for two of them.
[[nodiscard]] core::result<std::optional<wanted_tag>> wanted_tag_of(const protocol::http_request& request);

/// From `Idempotency-Key` and who sends it; 0: the request has none. Errors: `invalid_argument` for one that is empty, longer
/// than 255 bytes or no visible ASCII, and for two of them.
[[nodiscard]] core::result<std::int64_t> trigger_token_of(const protocol::http_request& request, const core::principal& by);

/// `If-None-Match` names it.
[[nodiscard]] bool has_already(const protocol::http_request& request, std::string_view etag);

} // namespace ringmaster::gateway
