#include "core/elastic/json_text.hpp"

#include <cstddef>

namespace ringmaster::core::elastic {

namespace {

/// U+2028 and U+2029 without their last byte, which is A8 and A9.
constexpr std::string_view line_separators = "\xE2\x80";

void append_unit(std::string& json, unsigned unit) {
  constexpr std::string_view digits = "0123456789abcdef";
  json += "\\u";
  for (const unsigned shift : {12U, 8U, 4U, 0U})
    json += digits[(unit >> shift) & 0xFU];
}

/// Appends one byte of the text.
void append_byte(std::string& json, char byte) {
  constexpr std::string_view characters = "\"\\\b\f\n\r\t", letters = "\"\\bfnrt";
  if (const auto found = characters.find(byte); found != std::string_view::npos)
    (json += '\\') += letters[found];
  else if (static_cast<unsigned char>(byte) < 0x20 || std::string_view{"=&'<>"}.find(byte) != std::string_view::npos)
    append_unit(json, static_cast<unsigned char>(byte));
  else
    json += byte;
}

} // namespace

void append_json_text(std::string& json, std::string_view value) {
  json += '"';
  for (std::size_t pos = 0; pos < value.size(); ++pos) {
    const auto next = value.substr(pos, 3);
    if (next.starts_with(line_separators) && (next.ends_with('\xA8') || next.ends_with('\xA9'))) {
      append_unit(json, next.ends_with('\xA8') ? 0x2028 : 0x2029);
      pos += 2;
    } else {
      append_byte(json, value[pos]);
    }
  }
  json += '"';
}

} // namespace ringmaster::core::elastic
