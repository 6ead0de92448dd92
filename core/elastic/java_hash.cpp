#include "core/elastic/java_hash.hpp"

#include "core/text/text.hpp"

namespace ringmaster::core::elastic {

namespace {

/// A character and the number of bytes that it has in UTF-8.
struct decoded_character {
  std::uint32_t code = 0xFFFD;
  std::size_t bytes = 1;
};

std::uint32_t byte_of(std::string_view text, std::size_t pos) noexcept { return static_cast<unsigned char>(text[pos]); }

/// Decodes the character at `pos`; an invalid byte is U+FFFD.
decoded_character decode_character(std::string_view text, std::size_t pos) noexcept {
  const auto size = utf8_character_size(text, pos);
  if (size == 0)
    return {};
  if (size == 1)
    return {byte_of(text, pos), 1};
  auto code = byte_of(text, pos) & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i)
    code = (code << 6U) | (byte_of(text, pos + i) & 0x3FU);
  return {code, size};
}

} // namespace

std::int32_t java_hash(std::string_view utf8) noexcept {
  std::uint32_t hash = 0;
  for (std::size_t pos = 0; pos < utf8.size();) {
    const auto [code, bytes] = decode_character(utf8, pos);
    pos += bytes;
    if (code >= 0x10000) { // two units: a high and a low surrogate
      hash = 31 * hash + (0xD800 + ((code - 0x10000) >> 10U));
      hash = 31 * hash + (0xDC00 + ((code - 0x10000) & 0x3FFU));
    } else {
      hash = 31 * hash + code;
    }
  }
  return static_cast<std::int32_t>(hash);
}

} // namespace ringmaster::core::elastic
