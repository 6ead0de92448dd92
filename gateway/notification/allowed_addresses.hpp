#pragma once

#include <string>

struct sockaddr;

namespace ringmaster::gateway {

/// Returns false for a link-local, metadata, unspecified or multicast address, in any form.
[[nodiscard]] bool is_allowed_address(const sockaddr& address) noexcept;

[[nodiscard]] std::string text_of(const sockaddr& address);

} // namespace ringmaster::gateway
