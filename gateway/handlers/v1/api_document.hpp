#pragma once

// The OpenAPI document of /api/v1: docs/openapi.json at build time.

#include <string_view>

namespace ringmaster::gateway {

[[nodiscard]] std::string_view api_document() noexcept;

} // namespace ringmaster::gateway
