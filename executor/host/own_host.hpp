#pragma once

#include <string_view>

namespace ringmaster::executor {

/// Returns true for the value of a `Host` header that no page of a browser can send after its own name was bound to this machine:
/// an IP address, `localhost`, or the host of `own_address`, each with or without a port. Anything else is refused, also a value
/// that is not `host`, `host:port` or the same with brackets.
[[nodiscard]] bool is_own_host(std::string_view header, std::string_view own_address) noexcept;

} // namespace ringmaster::executor
