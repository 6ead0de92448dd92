#pragma once

// Compressed bodies of answers.

#include <memory>
#include <string>
#include <string_view>

#include "protocol/http.hpp"

namespace ringmaster::gateway {

/// Returns true when `Accept-Encoding` names gzip and does not refuse it.
[[nodiscard]] bool takes_gzip(const protocol::http_request& request) noexcept;

/// Compresses a body as gzip. Empty: no memory for it.
[[nodiscard]] std::string compressed(std::string_view plain);

/// Returns a source of the same body as gzip, which is compressed while it is sent, a little at a time and with about 400 KiB of
/// memory. `plain` knows its size, which is not 0. Null: no memory for it.
[[nodiscard]] std::shared_ptr<protocol::http_body_source> compressed(std::shared_ptr<protocol::http_body_source> plain);

} // namespace ringmaster::gateway
