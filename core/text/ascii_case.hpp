#pragma once

// ASCII letters compared without case, for names of headers, schemes and hosts. Every other byte matches only itself.

#include <algorithm>
#include <string_view>

namespace ringmaster::core {

[[nodiscard]] constexpr char ascii_lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

[[nodiscard]] constexpr bool equal_without_case(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return ascii_lower(x) == ascii_lower(y); });
}

} // namespace ringmaster::core
