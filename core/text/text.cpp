#include "core/text/text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace ringmaster::core {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

std::uint8_t byte_at(std::string_view text, std::size_t pos) noexcept {
  return pos < text.size() ? static_cast<std::uint8_t>(text[pos]) : 0;
}

bool is_tail(std::uint8_t byte) noexcept { return (byte & 0xC0) == 0x80; }

} // namespace

std::size_t utf8_character_size(std::string_view text, std::size_t pos) noexcept {
  const auto lead = byte_at(text, pos), second = byte_at(text, pos + 1);
  if (lead < 0x80)
    return 1;
  if (lead < 0xC2 || lead > 0xF4 || !is_tail(second))
    return 0;
  if (lead < 0xE0)
    return 2;
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) || !is_tail(byte_at(text, pos + 2)))
    return 0;
  if (lead < 0xF0)
    return 3;
  if ((lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F) || !is_tail(byte_at(text, pos + 3)))
    return 0;
  return 4;
}

std::string_view cut_utf16(std::string_view text, std::size_t units) noexcept {
  // Every unit is at least one byte of UTF-8.
  if (text.size() <= units)
    return text;
  std::size_t pos = 0;
  while (pos < text.size()) {
    const auto size = utf8_character_size(text, pos);
    const std::size_t cost = size == 4 ? 2 : 1;
    if (cost > units)
      break;
    units -= cost;
    pos += size == 0 ? 1 : size;
  }
  return text.substr(0, pos);
}

std::size_t utf16_units(std::string_view text) noexcept {
  std::size_t units = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    units += (byte & 0xC0U) == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1;
  }
  return units;
}

std::string to_message(std::string_view bytes) {
  auto message = valid_utf8(bytes);
  message.resize(cut_utf16(message, message_units_max).size());
  return message;
}

std::string valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  std::size_t sound = 0; // text from here on is copied as a whole
  for (std::size_t pos = 0; pos < text.size();) {
    const auto size = utf8_character_size(text, pos);
    if (size != 0 && text[pos] != '\0') {
      pos += size;
      continue;
    }
    valid += text.substr(sound, pos - sound);
    if (size == 0)
      valid += replacement;
    sound = ++pos;
  }
  valid += text.substr(sound);
  return valid;
}

std::size_t count_characters(std::string_view utf8) noexcept {
  return static_cast<std::size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](char c) { return !is_tail(static_cast<std::uint8_t>(c)); }));
}

bool fits(std::string_view utf8, std::size_t characters) noexcept {
  return utf8.size() <= characters || count_characters(utf8) <= characters;
}

std::string_view cut_characters(std::string_view utf8, std::size_t characters) noexcept {
  for (std::size_t pos = 0; pos < utf8.size(); ++pos)
    if (!is_tail(byte_at(utf8, pos)) && characters-- == 0)
      return utf8.substr(0, pos);
  return utf8;
}

std::string_view cut_bytes(std::string_view utf8, std::size_t bytes) noexcept {
  if (utf8.size() <= bytes)
    return utf8;
  while (bytes > 0 && is_tail(byte_at(utf8, bytes)))
    --bytes;
  return utf8.substr(0, bytes);
}

bool is_blank(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) <= ' '; });
}

std::string_view take_item(std::string_view& rest) noexcept {
  const auto end = std::min(rest.find(','), rest.size());
  const auto item = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return item;
}

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view blanks = " \t\r\n";
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::string_view last_lines(std::string_view text, std::size_t lines, std::size_t bytes) noexcept {
  text = text.substr(0, text.find_last_not_of("\r\n") + 1);
  auto begin = text.size();
  while (lines-- > 0 && begin > 0) {
    const auto feed = begin >= 2 ? text.find_last_of('\n', begin - 2) : std::string_view::npos;
    begin = feed == std::string_view::npos ? 0 : feed + 1;
  }
  return text.substr(std::max(begin, text.size() - std::min(text.size(), bytes)));
}

std::optional<std::int32_t> parse_int32(std::string_view text) noexcept {
  if (text.starts_with('+') && !text.starts_with("+-"))
    text.remove_prefix(1);
  std::int32_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

bool has_hidden_characters(std::string_view utf8) noexcept {
  const auto is_hidden = [](std::string_view at) {
    if (at.starts_with("\xE2\x80")) // U+2000-U+203F
      return at.size() > 2 && ((at[2] >= '\x8B' && at[2] <= '\x8F') || (at[2] >= '\xAA' && at[2] <= '\xAE'));
    if (at.starts_with("\xE2\x81")) // U+2040-U+207F
      return at.size() > 2 && at[2] >= '\xA0' && at[2] <= '\xA9';
    return at.starts_with("\xD8\x9C") || at.starts_with("\xEF\xBB\xBF");
  };
  for (std::size_t pos = 0; pos < utf8.size(); ++pos)
    if (is_hidden(utf8.substr(pos)))
      return true;
  return false;
}

bool equal_in_constant_time(std::string_view given, std::string_view expected) noexcept {
  // Volatile: the compiler must not leave the loop early.
  volatile unsigned char difference = given.size() == expected.size() ? 0 : 1;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const char other = given.empty() ? '\0' : given[i % given.size()];
    difference =
      static_cast<unsigned char>(difference | (static_cast<unsigned char>(expected[i]) ^ static_cast<unsigned char>(other)));
  }
  return difference == 0;
}

} // namespace ringmaster::core
