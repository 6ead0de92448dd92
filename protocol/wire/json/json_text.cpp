#include "protocol/wire/json/json_text.hpp"

#include <array>
#include <charconv>
#include <cstring>
#include <optional>

#include "core/text/text.hpp"

namespace ringmaster::protocol::wire {

namespace {

constexpr char32_t replacement = 0xFFFD;

std::optional<char32_t> four_digits(std::string_view text) noexcept {
  std::uint16_t value = 0;
  if (text.size() < 4)
    return std::nullopt;
  auto [end, status] = std::from_chars(text.data(), text.data() + 4, value, 16);
  if (status != std::errc{} || end != text.data() + 4)
    return std::nullopt;
  return value;
}

/// Decodes `\u` digits at the front of `rest` and moves past them, and past the second half of a surrogate pair.
bool unescape_unicode(std::string& out, std::string_view& rest) {
  const auto first = four_digits(rest);
  if (!first)
    return false;
  rest.remove_prefix(4);
  char32_t c = *first;
  if (c >= 0xD800 && c < 0xDC00 && rest.substr(0, 2) == "\\u") {
    const auto second = four_digits(rest.substr(2));
    if (second && *second >= 0xDC00 && *second < 0xE000) {
      rest.remove_prefix(6);
      append_utf8(out, 0x10000 + ((c - 0xD800) << 10) + (*second - 0xDC00));
      return true;
    }
  }
  append_utf8(out, c >= 0xD800 && c < 0xE000 ? replacement : c);
  return true;
}

enum class treat : std::uint8_t { plain, escape, maybe_post };

constexpr std::array<treat, 256> treatment = [] {
  std::array<treat, 256> table{};
  for (std::size_t c = 0; c < 0x20; ++c)
    table[c] = treat::escape;
  table['"'] = table['\\'] = treat::escape;
  table['P'] = treat::maybe_post;
  return table;
}();

void append_escape(std::string& out, char c) {
  switch (c) {
  case '"': out += "\\\""; return;
  case '\\': out += "\\\\"; return;
  case '\n': out += "\\n"; return;
  case '\r': out += "\\r"; return;
  case '\t': out += "\\t"; return;
  default: break;
  }
  constexpr char digits[] = "0123456789abcdef";
  out += "\\u00";
  out += digits[static_cast<unsigned char>(c) >> 4];
  out += digits[static_cast<unsigned char>(c) & 0xF];
}

} // namespace

void append_utf8(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += {static_cast<char>(0xC0 | (c >> 6)), static_cast<char>(0x80 | (c & 0x3F))};
  } else if (c < 0x10000) {
    out +=
        {static_cast<char>(0xE0 | (c >> 12)), static_cast<char>(0x80 | ((c >> 6) & 0x3F)), static_cast<char>(0x80 | (c & 0x3F))};
  } else {
    out += {static_cast<char>(0xF0 | (c >> 18)), static_cast<char>(0x80 | ((c >> 12) & 0x3F)),
            static_cast<char>(0x80 | ((c >> 6) & 0x3F)), static_cast<char>(0x80 | (c & 0x3F))};
  }
}

char escape_of(char letter) noexcept {
  switch (letter) {
  case 'n': return '\n';
  case 't': return '\t';
  case 'r': return '\r';
  case 'b': return '\b';
  case 'f': return '\f';
  case '"': case '\\': case '/': case '\'': case '\n': return letter;
  default: return 0;
  }
}

bool is_plain_text(std::string_view text) noexcept {
  // Eight bytes at a time: a zero byte or a high bit shows in the mask.
  constexpr std::uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
  std::size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t chunk = 0;
    std::memcpy(&chunk, text.data() + i, 8);
    if (((chunk | ((chunk - ones) & ~chunk)) & highs) != 0)
      return false;
  }
  for (; i < text.size(); ++i)
    if (text[i] == '\0' || static_cast<unsigned char>(text[i]) >= 0x80)
      return false;
  return true;
}

bool unescape_json(std::string& out, std::string_view inside) {
  for (auto rest = inside; !rest.empty();) {
    const auto backslash = rest.find('\\');
    out += rest.substr(0, backslash);
    if (backslash == std::string_view::npos)
      return true;
    if (backslash + 1 == rest.size())
      return false;
    const char letter = rest[backslash + 1];
    rest.remove_prefix(backslash + 2);
    if (letter == 'u') {
      if (!unescape_unicode(out, rest))
        return false;
    } else if (const char c = escape_of(letter)) {
      out += c;
    } else {
      return false;
    }
  }
  return true;
}

void append_json(std::string& out, std::string_view text, split where) {
  std::string cleaned;
  if (!is_plain_text(text)) {
    cleaned = core::valid_utf8(text);
    text = cleaned;
  }
  out += '"';
  std::size_t done = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const treat how = treatment[static_cast<unsigned char>(text[i])];
    if (how == treat::plain) [[likely]]
      continue;
    if (how == treat::maybe_post && (where == split::none || text.substr(i, 4) != "POST"))
      continue;
    out.append(text, done, i - done);
    append_escape(out, text[i]);
    done = i + 1;
  }
  out.append(text, done);
  out += '"';
}

void append_json(std::string& out, std::int64_t number) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

} // namespace ringmaster::protocol::wire
