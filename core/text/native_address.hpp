#pragma once

// Address by which an executor registers that can be reached only through native links.

#include <string_view>

namespace ringmaster::core {

inline constexpr std::string_view native_address_scheme = "ringmaster://";

/// Returns true if the address has that scheme, in any case.
[[nodiscard]] bool is_native_address(std::string_view address) noexcept;

/// Returns true for `ringmaster://app/instance` with this app name.
[[nodiscard]] bool is_native_address(std::string_view address, std::string_view app_name) noexcept;

} // namespace ringmaster::core
