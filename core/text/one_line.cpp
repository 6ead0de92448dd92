#include "core/text/one_line.hpp"

#include <cstddef>

namespace ringmaster::core {

std::string one_line(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    // The second set of control characters takes two bytes in UTF-8.
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    const bool second_set = byte == 0xc2 && next >= 0x80 && next < 0xa0;
    if (byte == '\n') {
      out += "\\n";
    } else if (byte == '\t' || (byte >= 0x20 && byte != 0x7f && !second_set)) {
      out += text[i];
    } else {
      if (second_set)
        byte = static_cast<unsigned char>(text[++i]);
      out += "\\x";
      out += digits[byte >> 4U];
      out += digits[byte & 15U];
    }
  }
  return out;
}

} // namespace ringmaster::core
