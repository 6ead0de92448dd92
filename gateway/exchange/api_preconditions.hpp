#pragma once

// Preconditions of a request of /api/v1: `If-Match`, `If-None-Match` and `Idempotency-Key`. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/access/principal.hpp"
#include "core/result.hpp"
#include "protocol/http.hpp"

namespace ringmaster::gateway {

/// Returns `"tag"`.
[[nodiscard]] std::string etag_of(std::string_view tag);

/// ETag that `If-Match` asks for.
struct wanted_tag {
  /// Without a value: any (`*`). Empty: a tag that was never issued.
  std::optional<std::string> tag;

  [[nodiscard]] bool matches(std::string_view current) const { return !tag || *tag == current; }
};
/// Returns the value of `If-Match`; nothing without the header. Errors: `invalid_argument` for an invalid ETag, and for two of
/// them.
[[nodiscard]] core::result<std::optional<wanted_tag>> wanted_tag_of(const protocol::http_request& request);

/// Returns a token made from `Idempotency-Key` and its sender; 0 without the header. Errors: `invalid_argument` for a key that is
/// empty, longer than 255 bytes or not visible ASCII, and for two of them.
[[nodiscard]] core::result<std::int64_t> trigger_token_of(const protocol::http_request& request, const core::principal& by);

/// Returns true when `If-None-Match` names the ETag.
[[nodiscard]] bool has_already(const protocol::http_request& request, std::string_view etag);

} // namespace ringmaster::gateway
