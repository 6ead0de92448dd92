#pragma once

// Bytes of JSON with a meaning between values. Internal to the codecs.

#include <array>

namespace ringmaster::protocol::wire {

[[nodiscard]] constexpr bool is_json_blank(char c) noexcept {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f';
}

inline constexpr std::array<bool, 256> json_word_ends = [] {
  std::array<bool, 256> table{};
  for (unsigned char c : {',', ':', ';', '=', '#', '/', '\\', '{', '}', '[', ']', '"', '\'', ' ', '\n', '\r', '\t', '\f'})
    table[c] = true;
  return table;
}();

/// Returns true for a byte that cannot be part of an unquoted word.
[[nodiscard]] constexpr bool ends_json_word(char c) noexcept { return json_word_ends[static_cast<unsigned char>(c)]; }

} // namespace ringmaster::protocol::wire
