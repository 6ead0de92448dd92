#pragma once

// Widths of the columns that take text from outside, in characters where the schema counts characters. The same on every backend,
// so that a move from one store to another never meets a value that does not fit.

#include <cstddef>
#include <string_view>

namespace ringmaster::storage {

inline constexpr std::size_t app_name_chars = 64;
inline constexpr std::size_t title_chars = 64;
inline constexpr std::size_t address_chars = 255;
inline constexpr std::size_t job_name_chars = 255;
inline constexpr std::size_t author_chars = 64;
inline constexpr std::size_t alarm_email_chars = 255;
inline constexpr std::size_t schedule_conf_chars = 128;
inline constexpr std::size_t handler_chars = 255;
inline constexpr std::size_t glue_type_chars = 50;
inline constexpr std::size_t child_jobs_chars = 255;
inline constexpr std::size_t node_chars = 64;
inline constexpr std::size_t job_key_chars = 128;
inline constexpr std::size_t source_chars = 128;
/// A `text` column, in bytes.
inline constexpr std::size_t text_bytes = 65535;

/// The number of characters in valid UTF-8.
[[nodiscard]] constexpr std::size_t char_count(std::string_view text) noexcept {
  std::size_t count = 0;
  for (char byte : text)
    if ((static_cast<unsigned char>(byte) & 0xc0) != 0x80)
      ++count;
  return count;
}

[[nodiscard]] constexpr bool fits(std::string_view text, std::size_t chars) noexcept {
  return text.size() <= chars || char_count(text) <= chars;
}

/// The longest prefix with at most `chars` characters.
[[nodiscard]] constexpr std::string_view cut_chars(std::string_view text, std::size_t chars) noexcept {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80 && ++count > chars)
      return text.substr(0, i);
  return text;
}

/// The longest prefix with at most `bytes` bytes that ends at a character.
[[nodiscard]] constexpr std::string_view cut_bytes(std::string_view text, std::size_t bytes) noexcept {
  if (text.size() <= bytes)
    return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80)
    --bytes;
  return text.substr(0, bytes);
}

} // namespace ringmaster::storage
