#pragma once

// By what an executor registers that can be reached by native links alone.

#include <string_view>

namespace ringmaster::core {

inline constexpr std::string_view native_address_scheme = "ringmaster://";

/// Returns whether the address has that scheme, in any case.
[[nodiscard]] bool is_native_address(std::string_view address) noexcept;

/// `ringmaster://app/instance`, the app being this one.
[[nodiscard]] bool is_native_address(std::string_view address, std::string_view app_name) noexcept;

} // namespace ringmaster::core
