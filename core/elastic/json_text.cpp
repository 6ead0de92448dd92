#include "core/elastic/json_text.hpp"

#include <algorithm>
#include <cstddef>

#include "core/text/text.hpp"

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

/// Appends one byte of the text. `escaped`: further characters that become `\u` and digits.
void append_byte(std::string& json, char byte, std::string_view escaped) {
  constexpr std::string_view characters = "\"\\\b\f\n\r\t", letters = "\"\\bfnrt";
  if (const auto found = characters.find(byte); found != std::string_view::npos)
    (json += '\\') += letters[found];
  else if (static_cast<unsigned char>(byte) < 0x20 || escaped.find(byte) != std::string_view::npos)
    append_unit(json, static_cast<unsigned char>(byte));
  else
    json += byte;
}

/// Appends a character of UTF-8 as units of UTF-16.
void append_escaped(std::string& json, std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  unsigned code = character.size() == 1 ? first : first & (0xFFU >> (character.size() + 1));
  for (const char next : character.substr(1))
    code = (code << 6U) | (static_cast<unsigned char>(next) & 0x3FU);
  if (code < 0x10000)
    return append_unit(json, code);
  append_unit(json, 0xD800 + ((code - 0x10000) >> 10U));
  append_unit(json, 0xDC00 + ((code - 0x10000) & 0x3FFU));
}

void append_text(std::string& json, std::string_view value, std::string_view escaped) {
  json += '"';
  for (std::size_t pos = 0; pos < value.size(); ++pos) {
    const auto next = value.substr(pos, 3);
    if (next.starts_with(line_separators) && (next.ends_with('\xA8') || next.ends_with('\xA9'))) {
      append_unit(json, next.ends_with('\xA8') ? 0x2028 : 0x2029);
      pos += 2;
    } else {
      append_byte(json, value[pos], escaped);
    }
  }
  json += '"';
}

} // namespace

void append_json_text(std::string& json, std::string_view value) { append_text(json, value, {}); }

void append_html_json_text(std::string& json, std::string_view value) { append_text(json, value, "=&'<>"); }

std::string ascii_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (std::size_t pos = 0; pos < json.size();) {
    const auto byte = static_cast<unsigned char>(json[pos]);
    const auto size = std::max<std::size_t>(utf8_character_size(json, pos), 1);
    if (byte >= 0x20 && byte < 0x7F)
      out += json[pos];
    else
      append_escaped(out, json.substr(pos, size));
    pos += size;
  }
  return out;
}

} // namespace ringmaster::core::elastic
