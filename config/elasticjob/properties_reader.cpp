// Java properties: `key=value`, `key: value`, continued lines, escapes.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "config/elasticjob/readers.hpp"

namespace ringmaster::config {

namespace {

void append_character(std::string& out, std::uint32_t point) {
  const auto tail = [&out](std::uint32_t bits) { out += static_cast<char>(0x80U | (bits & 0x3FU)); };
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xC0U | (point >> 6U));
    tail(point);
  } else if (point < 0x10000) {
    out += static_cast<char>(0xE0U | (point >> 12U));
    tail(point >> 6U);
    tail(point);
  } else {
    out += static_cast<char>(0xF0U | (point >> 18U));
    tail(point >> 12U);
    tail(point >> 6U);
    tail(point);
  }
}

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9')
    return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// Reader of one text, from its begin to its end.
class properties_parser {
public:
  properties_parser(std::string_view text, file_findings& found) : text_(text), found_(found) {}

  std::vector<property> run() {
    while (pos_ < text_.size())
      read_line();
    return std::move(out_);
  }

private:
  [[nodiscard]] bool at_line_end(std::size_t pos) const noexcept {
    return pos < text_.size() && (text_[pos] == '\n' || text_[pos] == '\r');
  }
  [[nodiscard]] bool at_blank() const noexcept {
    return pos_ < text_.size() && (text_[pos_] == ' ' || text_[pos_] == '\t' || text_[pos_] == '\f');
  }
  /// Moves over a line end, if there is one.
  void take_line_end() noexcept {
    if (!at_line_end(pos_))
      return;
    pos_ += text_[pos_] == '\r' && pos_ + 1 < text_.size() && text_[pos_ + 1] == '\n' ? 2 : 1;
    ++line_;
  }
  /// Moves over blanks, also those of a continued line.
  void skip_blanks() noexcept {
    for (;;)
      if (at_blank()) {
        ++pos_;
      } else if (pos_ < text_.size() && text_[pos_] == '\\' && at_line_end(pos_ + 1)) {
        ++pos_;
        take_line_end();
      } else {
        return;
      }
  }

  void read_line() {
    skip_blanks();
    if (pos_ < text_.size() && (text_[pos_] == '#' || text_[pos_] == '!'))
      pos_ = std::min(text_.find_first_of("\r\n", pos_), text_.size());
    else if (pos_ < text_.size() && !at_line_end(pos_))
      read_entry();
    take_line_end();
  }

  void read_entry() {
    property next;
    next.line = line_;
    next.path = read_part(true);
    skip_blanks();
    if (pos_ < text_.size() && (text_[pos_] == '=' || text_[pos_] == ':')) {
      ++pos_;
      skip_blanks();
    }
    next.value = read_part(false);
    out_.push_back(std::move(next));
  }

  std::string read_part(bool is_key) {
    std::string out;
    while (pos_ < text_.size() && !at_line_end(pos_)) {
      const char c = text_[pos_];
      if (is_key && (c == '=' || c == ':' || at_blank()))
        break;
      ++pos_;
      if (c == '\\')
        read_escape(out);
      else
        out += c;
    }
    return out;
  }

  /// Reads the characters after a backslash. One at the end of the file is ignored, as Java does.
  void read_escape(std::string& out) {
    if (pos_ == text_.size())
      return;
    if (at_line_end(pos_)) {
      take_line_end();
      while (at_blank())
        ++pos_;
      return;
    }
    switch (const char c = text_[pos_++]) {
    case 't': out += '\t'; break;
    case 'n': out += '\n'; break;
    case 'r': out += '\r'; break;
    case 'f': out += '\f'; break;
    case 'u': read_unicode(out); break;
    default: out += c;
    }
  }

  /// Reads four digits; unset if there are not four.
  std::optional<std::uint32_t> read_unit() {
    std::uint32_t unit = 0;
    for (int i = 0; i < 4; ++i) {
      const int digit = pos_ < text_.size() ? hex_digit(text_[pos_]) : -1;
      if (digit < 0)
        return std::nullopt;
      ++pos_;
      unit = unit * 16 + static_cast<std::uint32_t>(digit);
    }
    return unit;
  }

  void read_unicode(std::string& out) {
    const auto first = read_unit();
    std::uint32_t point = first.value_or(0);
    if (point >= 0xD800 && point <= 0xDBFF && text_.substr(pos_).starts_with("\\u")) {
      pos_ += 2;
      const auto second = read_unit().value_or(0);
      point = second >= 0xDC00 && second <= 0xDFFF ? 0x10000U + ((point - 0xD800U) << 10U) + (second - 0xDC00U) : 0U;
    }
    if (point == 0 || (point >= 0xD800 && point <= 0xDFFF))
      return found_.refuse(line_, R"(invalid character after \u; expected four hexadecimal digits of a Unicode character)");
    append_character(out, point);
  }

  std::string_view text_;
  file_findings& found_;
  std::size_t pos_ = 0;
  std::size_t line_ = 1;
  std::vector<property> out_;
};

} // namespace

std::vector<property> read_properties(std::string_view text, file_findings& found) {
  return properties_parser{text, found}.run();
}

} // namespace ringmaster::config
