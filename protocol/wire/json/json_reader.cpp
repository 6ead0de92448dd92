#include "protocol/wire/json/json_reader.hpp"

#include <charconv>
#include <cmath>

#include "core/text/text.hpp"
#include "protocol/wire/json/json_bytes.hpp"
#include "protocol/wire/json/json_text.hpp"

namespace ringmaster::protocol::wire {

namespace {

/// Far beyond the nesting of any client, far below the limit of a stack.
constexpr std::size_t depth_max = 64;

/// Reads whole numbers exactly; other spellings of a whole number go through a double, as in Java.
std::optional<std::int64_t> to_integer(std::string_view text) noexcept {
  constexpr std::size_t digits_max = 64;
  const char* end = text.data() + text.size();
  std::int64_t whole = 0;
  if (auto [rest, status] = std::from_chars(text.data(), end, whole); status == std::errc{} && rest == end)
    return whole;
  if (text.empty() || text.size() > digits_max)
    return std::nullopt;
  double number = 0;
  auto [rest, status] = std::from_chars(text.data(), end, number);
  constexpr double exact_max = 9007199254740992.0;
  if (status != std::errc{} || rest != end || !(std::abs(number) <= exact_max) || number != std::trunc(number))
    return std::nullopt;
  return static_cast<std::int64_t>(number);
}

} // namespace

json_reader::json_reader(std::string_view text) noexcept : text_(text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text_.substr(0, byte_order_mark.size()) == byte_order_mark)
    at_ = byte_order_mark.size();
}

json_kind json_reader::peek() noexcept {
  blanks();
  if (!ok() || at_ == text_.size())
    return json_kind::none;
  switch (text_[at_]) {
  case '{': return json_kind::object;
  case '[': return json_kind::array;
  case '"': case '\'': return json_kind::text;
  default: break;
  }
  if (ends_json_word(text_[at_]))
    return json_kind::none;
  constexpr std::string_view null = "null";
  const bool is_null =
      text_.substr(at_, null.size()) == null && (at_ + null.size() == text_.size() || ends_json_word(text_[at_ + null.size()]));
  return is_null ? json_kind::null : json_kind::word;
}

std::optional<std::string> json_reader::text() {
  const auto found = scalar();
  if (!found)
    return std::nullopt;
  return is_plain_text(*found) ? std::string{*found} : core::valid_utf8(*found);
}

std::optional<std::int64_t> json_reader::integer() {
  const auto found = scalar();
  return found ? to_integer(*found) : std::nullopt;
}

bool json_reader::boolean() { return scalar() == std::string_view{"true"}; }

std::string_view json_reader::raw() {
  blanks();
  const std::size_t start = at_;
  return skip() ? text_.substr(start, at_ - start) : std::string_view{};
}

bool json_reader::finish() noexcept {
  blanks();
  return ok() && (at_ == text_.size() || fail("unexpected text after the end"));
}

std::string json_reader::error() const {
  return ok() ? std::string{} : std::string{problem_} + " at byte " + std::to_string(at_);
}

void json_reader::blanks() noexcept {
  while (at_ < text_.size() && is_json_blank(text_[at_]))
    ++at_;
}

bool json_reader::fail(const char* problem) noexcept {
  if (ok())
    problem_ = at_ < text_.size() ? problem : "unexpected end";
  return false;
}

bool json_reader::enter(char open) noexcept {
  blanks();
  if (!ok() || at_ == text_.size() || text_[at_] != open)
    return false;
  if (++depth_ > depth_max)
    return fail("nested too deeply");
  ++at_;
  return true;
}

bool json_reader::leave(char close) noexcept {
  blanks();
  if (at_ == text_.size() || text_[at_] != close)
    return false;
  ++at_;
  --depth_;
  return true;
}

bool json_reader::read_name(std::string_view& name) {
  const auto found = scalar();
  if (!found)
    return fail("expected a name");
  name = *found;
  blanks();
  if (at_ == text_.size() || text_[at_] != ':')
    return fail("':' expected");
  ++at_;
  blanks();
  return true;
}

/// Reads the comma after a value. The end of the enclosing object or array is not read here.
bool json_reader::finish_value(std::size_t value_at, char close) noexcept {
  if (!ok() || (at_ == value_at && !skip()))
    return false;
  blanks();
  if (at_ < text_.size() && text_[at_] == close)
    return true;
  if (at_ == text_.size() || text_[at_] != ',')
    return fail("expected ',' or an end");
  ++at_;
  return true;
}

bool json_reader::skip() noexcept {
  std::string_view inside;
  bool escaped = false;
  switch (peek()) {
  case json_kind::object: return object([](std::string_view) {});
  case json_kind::array: return array([] {});
  case json_kind::text: return quoted(inside, escaped);
  case json_kind::null:
  case json_kind::word: word(); return true;
  case json_kind::none: break;
  }
  return fail("expected a value");
}

std::string_view json_reader::word() noexcept {
  const std::size_t start = at_;
  while (at_ < text_.size() && !ends_json_word(text_[at_]))
    ++at_;
  return text_.substr(start, at_ - start);
}

bool json_reader::quoted(std::string_view& inside, bool& escaped) noexcept {
  const char quote = text_[at_];
  const std::size_t start = at_ + 1;
  for (std::size_t i = start; i < text_.size(); ++i) {
    if (text_[i] == quote) {
      inside = text_.substr(start, i - start);
      at_ = i + 1;
      return true;
    }
    if (text_[i] == '\\') {
      escaped = true;
      ++i;
    }
  }
  at_ = text_.size();
  return fail("unterminated string");
}

std::optional<std::string_view> json_reader::scalar() {
  switch (peek()) {
  case json_kind::null: word(); return std::nullopt;
  case json_kind::word: return word();
  case json_kind::text: break;
  default: return std::nullopt;
  }
  std::string_view inside;
  bool escaped = false;
  if (!quoted(inside, escaped))
    return std::nullopt;
  if (!escaped)
    return inside;
  scratch_.clear();
  if (!unescape_json(scratch_, inside)) {
    fail("invalid escape");
    return std::nullopt;
  }
  return std::string_view{scratch_};
}

} // namespace ringmaster::protocol::wire
