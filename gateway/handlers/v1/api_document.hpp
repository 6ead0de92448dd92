#pragma once

// The OpenAPI document of /api/v1: docs/openapi.json at build time.

#include <string>
#include <string_view>

namespace ringmaster::gateway {

/// Returns the document as JSON. Decompresses it in each call.
[[nodiscard]] std::string api_document();

/// Returns the document as gzip.
[[nodiscard]] std::string_view api_document_gzip() noexcept;

} // namespace ringmaster::gateway
