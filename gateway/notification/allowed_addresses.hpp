#pragma once

#include <string>

struct sockaddr;

namespace ringmaster::gateway {

/// Never a link-local, metadata, unspecified or multicast address, in whatever form.
[[nodiscard]] bool is_allowed_address(const sockaddr& address) noexcept;

[[nodiscard]] std::string text_of(const sockaddr& address);

} // namespace ringmaster::gateway
