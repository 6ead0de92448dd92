#include "core/elastic/text_object.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/text/text.hpp"

namespace ringmaster::core::elastic {

namespace {

/// Appends a character up to U+10FFFF as UTF-8.
void append_utf8(std::string& text, std::uint32_t code) {
  const auto tail = [&](unsigned shift) { text += static_cast<char>(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0U | (code >> 6U));
    tail(0);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0U | (code >> 12U));
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xF0U | (code >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

/// Reads the object from left to right. A failed method leaves the position at the error.
class text_object_reader {
public:
  text_object_reader(std::string_view text, const text_pair_taker& take) : text_(text), take_(take) {}

  result<void> read() {
    if (!skip('{'))
      return wrong("expected {");
    if (!skip('}')) {
      do {
        if (auto added = read_pair(); !added)
          return added;
      } while (skip(','));
      if (!skip('}'))
        return wrong("expected , or }");
    }
    skip_blanks();
    if (pos_ != text_.size())
      return wrong("expected the end of the text");
    return {};
  }

private:
  [[nodiscard]] tl::unexpected<error> wrong(std::string_view why) const {
    return fail(errc::invalid_argument, "byte " + std::to_string(pos_ + 1) + " of the object: " + std::string{why});
  }

  void skip_blanks() noexcept { pos_ = std::min(text_.find_first_not_of(" \t\r\n", pos_), text_.size()); }

  bool skip(char wanted) noexcept {
    skip_blanks();
    const bool found = pos_ < text_.size() && text_[pos_] == wanted;
    pos_ += found ? 1 : 0;
    return found;
  }

  result<void> read_pair() {
    skip_blanks();
    const auto begin = pos_;
    auto key = read_string();
    if (!key)
      return tl::unexpected{std::move(key.error())};
    if (!skip(':'))
      return wrong("expected :");
    auto value = read_string();
    if (!value)
      return tl::unexpected{std::move(value.error())};
    if (const auto why = take_(std::move(*key), std::move(*value)); !why.empty()) {
      pos_ = begin;
      return wrong(why);
    }
    return {};
  }

  result<std::string> read_string() {
    if (!skip('"'))
      return wrong("expected a text in quotation marks");
    std::string read;
    while (pos_ < text_.size() && text_[pos_] != '"') {
      if (text_[pos_] == '\\') {
        if (!read_escape(read))
          return wrong("invalid escape");
        continue;
      }
      const auto size = utf8_character_size(text_, pos_);
      if (size == 0 || static_cast<unsigned char>(text_[pos_]) < 0x20)
        return wrong("invalid character");
      read += text_.substr(pos_, size);
      pos_ += size;
    }
    if (!skip('"'))
      return wrong("the text does not end");
    return read;
  }

  /// Reads a backslash and what it stands for.
  bool read_escape(std::string& read) {
    constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    const auto letter = pos_ + 1 < text_.size() ? text_[pos_ + 1] : '\0';
    if (letter == 'u')
      return read_unicode(read);
    const auto found = letters.find(letter);
    if (found == std::string_view::npos)
      return false;
    read += meanings[found];
    pos_ += 2;
    return true;
  }

  /// Reads `\uXXXX`, or two of them for a character above U+FFFF.
  bool read_unicode(std::string& read) {
    auto unit = unit_at(pos_);
    if (!unit || *unit == 0 || (*unit >= 0xDC00 && *unit < 0xE000))
      return false;
    auto length = 6;
    if (*unit >= 0xD800 && *unit < 0xDC00) {
      const auto low = unit_at(pos_ + 6);
      if (!low || *low < 0xDC00 || *low >= 0xE000)
        return false;
      unit = 0x10000 + ((*unit - 0xD800) << 10U) + (*low - 0xDC00);
      length = 12;
    }
    append_utf8(read, *unit);
    pos_ += static_cast<std::size_t>(length);
    return true;
  }

  /// Returns the unit of the escape `\uXXXX` at `pos`.
  [[nodiscard]] std::optional<std::uint32_t> unit_at(std::size_t pos) const noexcept {
    if (pos + 6 > text_.size() || text_.substr(pos, 2) != "\\u")
      return std::nullopt;
    std::uint32_t unit = 0;
    const auto* end = text_.data() + pos + 6;
    const auto [stop, failure] = std::from_chars(text_.data() + pos + 2, end, unit, 16);
    if (failure != std::errc{} || stop != end)
      return std::nullopt;
    return unit;
  }

  std::string_view text_;
  const text_pair_taker& take_;
  std::size_t pos_ = 0;
};

} // namespace

result<void> read_text_object(std::string_view text, const text_pair_taker& take) {
  return text_object_reader{text, take}.read();
}

} // namespace ringmaster::core::elastic
