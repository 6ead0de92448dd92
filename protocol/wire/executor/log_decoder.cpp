#include "protocol/wire/executor/log_decoder.hpp"

#include <algorithm>
#include <utility>

#include "core/text/text.hpp"
#include "protocol/wire/json/json_bytes.hpp"
#include "protocol/wire/json/json_reader.hpp"
#include "protocol/wire/json/json_text.hpp"

namespace ringmaster::protocol::wire {

namespace {

constexpr std::string_view log_byte_order_mark = "\xEF\xBB\xBF";
constexpr char32_t replaced_unit = 0xFFFD;

constexpr bool is_high(char32_t unit) noexcept { return unit >= 0xD800 && unit < 0xDC00; }
constexpr bool is_low(char32_t unit) noexcept { return unit >= 0xDC00 && unit < 0xE000; }

/// Returns the length of a character at the end of `text` whose last bytes are missing.
std::size_t open_character_bytes(std::string_view text) noexcept {
  constexpr std::size_t longest_start = 3;
  for (std::size_t n = 1; n <= std::min(longest_start, text.size()); ++n) {
    const auto byte = static_cast<unsigned char>(text[text.size() - n]);
    if ((byte & 0xC0U) == 0x80)
      continue;
    const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 1;
    return length > n ? n : 0;
  }
  return 0;
}

/// Reads a number from a string or a word that has nothing else.
std::optional<std::int64_t> captured_number(const std::string& text) {
  if (text.find_first_not_of("0123456789+-.eE") != std::string::npos)
    return std::nullopt;
  return json_reader{text}.integer();
}

/// Returns the value of a hexadecimal digit; -1 for other characters.
constexpr int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

} // namespace

bool log_decoder::feed(std::string_view bytes, std::string& text) {
  head_ += bytes.substr(0, head_max - head_.size());
  for (std::size_t i = 0; i < bytes.size() && !problem_ && expects_ != expects::nothing; ++at_, ++i) {
    if (token_ == token::string && use_ == use::text && !backslash_ && digits_left_ == 0 && high_ == 0) {
      // Most of an answer is here: whole runs at once.
      const auto* const end = std::find_if(bytes.begin() + static_cast<std::ptrdiff_t>(i), bytes.end(),
                                           [quote = quote_](char c) { return c == quote || c == '\\'; });
      const auto run = static_cast<std::size_t>(end - bytes.begin()) - i;
      raw_ += bytes.substr(i, run);
      i += run;
      at_ += run;
      if (i == bytes.size())
        break;
    }
    const char c = bytes[i];
    if (token_ == token::string)
      in_string(c);
    else if (token_ == token::word)
      in_word(c);
    else
      between(c);
  }
  pass_on(text, text_ended_);
  return problem_ == nullptr;
}

void log_decoder::pass_on(std::string& text, bool whole) {
  const auto ready = raw_.size() - (whole ? 0 : open_character_bytes(raw_));
  if (ready == 0)
    return;
  const auto piece = std::string_view{raw_}.substr(0, ready);
  const auto before = text.size();
  text += is_plain_text(piece) ? std::string{piece} : core::valid_utf8(piece);
  facts_.add(std::string_view{text}.substr(before));
  raw_.erase(0, ready);
}

core::result<log_chunk> log_decoder::finish(unsigned status) const {
  const bool is_whole = !problem_ && expects_ == expects::end;
  // Answers that are not a log are short, and the other reader has the words for them.
  if (expects_ == expects::nothing || expects_ == expects::top || is_gateway_status(status) ||
      (is_whole && (!chosen_ || (!has_code_ && !has_message_))))
    return parse_log_reply(status, head_, asked_line_);
  if (!is_whole)
    return core::fail(core::errc::unavailable, "The executor's reply cannot be read: " +
                                                 std::string{problem_ ? problem_ : "unexpected end"} + " at byte " +
                                                 std::to_string(at_));
  log_chunk found{.from_line = chosen_->from_line, .to_line = 0, .content = {}, .end = chosen_->end};
  found.size = log_size_of(chosen_->lines, chosen_->bytes);
  found.to_line = found.size ? chosen_->to_line : last_line_of(chosen_->to_line, found.end, facts_, asked_line_);
  return found;
}

bool log_decoder::fail(const char* problem) noexcept {
  if (!problem_)
    problem_ = problem;
  return false;
}

// -- between two tokens ----------------------------------------------------------------------------------------------------

void log_decoder::between(char c) {
  if (expects_ == expects::top && at_ < log_byte_order_mark.size() && c == log_byte_order_mark[at_])
    return;
  if (is_json_blank(c))
    return;
  switch (expects_) {
  case expects::top:
    if (c == '{')
      open(c);
    else
      expects_ = expects::nothing;
    return;
  case expects::name:
    name_.clear();
    return c == '}' ? close() : begin_scalar(c, use::name, "expected a name");
  case expects::colon:
    expects_ = expects::value;
    if (c != ':')
      fail("':' expected");
    return;
  case expects::element:
    return c == ']' ? close() : begin_value(c);
  case expects::value: return begin_value(c);
  case expects::comma:
    if (c == ',')
      expects_ = stack_[depth_ - 1] == '{' ? expects::name : expects::element;
    else if (c == (stack_[depth_ - 1] == '{' ? '}' : ']'))
      close();
    else
      fail("expected ',' or an end");
    return;
  case expects::end: fail("unexpected text after the end"); return;
  case expects::nothing: return;
  }
}

void log_decoder::begin_value(char c) {
  if (c == '{' || c == '[')
    return open(c);
  begin_scalar(c, use_of_value(), "expected a value");
}

void log_decoder::begin_scalar(char c, use what, const char* expected) {
  const bool is_string = c == '"' || c == '\'';
  if (!is_string && ends_json_word(c))
    return void(fail(expected));
  token_ = is_string ? token::string : token::word;
  use_ = what;
  quote_ = c;
  captured_.clear();
  captured_all_ = true;
  if (what == use::text)
    text_ended_ = false;
  if (!is_string)
    in_word(c);
}

void log_decoder::open(char c) {
  if (depth_ == depth_max)
    return void(fail("nested too deeply"));
  stack_[depth_++] = c;
  expects_ = c == '{' ? expects::name : expects::element;
  if (c == '{' && depth_ == 2 && stack_[0] == '{' && (name_ == "content" || name_ == "data")) {
    in_chunk_ = true;
    current_ = {.from_line = asked_line_, .is_content = name_ == "content"};
  }
}

void log_decoder::close() {
  --depth_;
  if (depth_ == 1 && std::exchange(in_chunk_, false))
    choose();
  expects_ = depth_ == 0 ? expects::end : expects::comma;
}

/// Keeps the object whose text was passed on; without a text the one under `content`.
void log_decoder::choose() {
  const bool is_better = !chosen_ || (current_.has_text && !chosen_->has_text) ||
                         (!chosen_->has_text && !chosen_->is_content && current_.is_content);
  if (is_better)
    chosen_ = current_;
}

log_decoder::use log_decoder::use_of_value() const noexcept {
  if (depth_ == 1)
    return name_ == "code" || name_ == "msg" ? use::capture : use::skip;
  if (depth_ != 2 || !in_chunk_)
    return use::skip;
  if (name_ == "logContent")
    return has_text_ ? use::skip : use::text;
  const bool is_number = name_ == "fromLineNum" || name_ == "toLineNum" || name_ == "totalLines" || name_ == "fileSize";
  return is_number || name_ == "isEnd" || name_ == "end" ? use::capture : use::skip;
}

// -- tokens ----------------------------------------------------------------------------------------------------------------

void log_decoder::in_word(char c) {
  if (!ends_json_word(c))
    return put(c);
  end_token();
  if (!problem_)
    between(c);
}

void log_decoder::in_string(char c) {
  if (digits_left_ > 0)
    return unicode_digit(c);
  if (std::exchange(backslash_, false))
    return escaped(c);
  if (c == '\\') {
    backslash_ = true;
    return;
  }
  end_surrogate();
  if (c == quote_)
    end_token();
  else
    put(c);
}

void log_decoder::escaped(char c) {
  if (use_ == use::skip)
    return;
  if (c == 'u') {
    digits_left_ = 4;
    unit_ = 0;
    return;
  }
  end_surrogate();
  if (const char meant = escape_of(c))
    put(meant);
  else
    fail("invalid escape");
}

void log_decoder::unicode_digit(char c) {
  const int value = hex_value(c);
  if (value < 0)
    return void(fail("invalid escape"));
  unit_ = unit_ * 16 + static_cast<char32_t>(value);
  if (--digits_left_ > 0)
    return;
  if (high_ != 0 && is_low(unit_))
    return put_character(0x10000 + ((std::exchange(high_, 0) - 0xD800) << 10) + (unit_ - 0xDC00));
  end_surrogate();
  if (is_high(unit_))
    high_ = unit_;
  else
    put_character(is_low(unit_) ? replaced_unit : unit_);
}

/// Replaces the first half of a pair whose second half did not come.
void log_decoder::end_surrogate() {
  if (std::exchange(high_, 0) != 0)
    put_character(replaced_unit);
}

void log_decoder::put_character(char32_t c) {
  std::string bytes;
  append_utf8(bytes, c);
  for (const char byte : bytes)
    put(byte);
}

void log_decoder::put(char c) {
  if (use_ == use::text && token_ == token::string)
    raw_ += c;
  else if (use_ != use::skip && captured_.size() < capture_max)
    captured_ += c;
  else
    captured_all_ = false;
}

void log_decoder::end_token() {
  const bool is_null = token_ == token::word && captured_ == "null";
  const auto kind = std::exchange(token_, token::none);
  if (use_ == use::name) {
    if (is_null)
      return void(fail("expected a name"));
    if (captured_all_)
      name_ = captured_;
    expects_ = expects::colon;
    return;
  }
  expects_ = expects::comma;
  if (use_ == use::text) {
    // A word in place of a string is its own text.
    if (kind == token::word && !is_null)
      raw_ += captured_;
    text_ended_ = true;
    has_text_ = current_.has_text = !raw_.empty() || !facts_.empty();
    return;
  }
  if (use_ == use::capture) {
    if (is_null)
      captured_.clear();
    take_captured();
  }
}

void log_decoder::take_last_line(std::optional<std::int64_t> number) {
  current_.has_last_line = number.has_value();
  current_.to_line = narrow_line(number.value_or(0));
}

void log_decoder::take_captured() {
  const auto number = captured_all_ ? captured_number(captured_) : std::nullopt;
  if (depth_ == 1 && name_ == "code")
    has_code_ = number.has_value();
  else if (depth_ == 1)
    has_message_ = !captured_.empty();
  else if (name_ == "fromLineNum")
    current_.from_line = narrow_line(number.value_or(asked_line_));
  else if (name_ == "toLineNum")
    take_last_line(number);
  else if (name_ == "totalLines")
    current_.lines = number;
  else if (name_ == "fileSize")
    current_.bytes = number;
  else
    current_.end = current_.end || captured_ == "true";
}

} // namespace ringmaster::protocol::wire
