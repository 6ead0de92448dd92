#pragma once

// Incremental reader of the answer to `/log` (XXL wire §2.9): XXL-JOB's executors answer the whole rest of a log in one JSON
// text, whatever its size.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "protocol/wire/executor/executor_codec.hpp"
#include "protocol/wire/executor/log_lines.hpp"

namespace ringmaster::protocol::wire {

/// Decoder of one answer, as lenient as `parse_log_reply` and with the same result, in pieces of any size, with bounded memory.
/// One difference: of repeated texts of a log the first one counts, because it was passed on already. Pure; one thread at a
/// time.
class log_decoder {
public:
  /// `asked_line`: first line of the request.
  explicit log_decoder(std::int32_t asked_line) : asked_line_{asked_line} {}

  /// Reads the next bytes of the answer and appends the decoded text of the log to `text`: valid UTF-8 without NUL, at most three
  /// bytes for each byte read and for 300 more. Returns false once the answer cannot be read.
  bool feed(std::string_view bytes, std::string& text);

  /// Returns the answer without its text, after its last byte. Errors: as `parse_log_reply`; the text that was passed on may be a
  /// part of the log then.
  [[nodiscard]] core::result<log_chunk> finish(unsigned status) const;

  /// Returns true if the answer states the number of its last line.
  [[nodiscard]] bool has_last_line() const noexcept { return chosen_ && chosen_->has_last_line; }
  /// Facts about the text that was passed on.
  [[nodiscard]] const log_text_facts& text_facts() const noexcept { return facts_; }

private:
  /// Far beyond the nesting of any client.
  static constexpr std::size_t depth_max = 64;
  /// Names and short values; longer ones are cut, and mean nothing here.
  static constexpr std::size_t capture_max = 256;
  /// Beginning of the answer, for those that are not a log.
  static constexpr std::size_t head_max = 16 * 1024;

  /// Next thing that is expected between two tokens.
  enum class expects : std::uint8_t { top, value, element, name, colon, comma, end, nothing };
  enum class token : std::uint8_t { none, string, word };
  /// Use of the current string or word.
  enum class use : std::uint8_t { skip, name, capture, text };

  /// Members of an object under `content` or `data`.
  struct chunk {
    std::int32_t from_line = 0;
    std::int32_t to_line = 0;
    bool end = false;
    bool is_content = false;
    bool has_text = false;
    bool has_last_line = false;
    std::optional<std::int64_t> lines = {};
    std::optional<std::int64_t> bytes = {};
  };

  bool fail(const char* problem) noexcept;
  void between(char c);
  void begin_value(char c);
  void begin_scalar(char c, use what, const char* expected);
  void close();
  void open(char c);
  [[nodiscard]] use use_of_value() const noexcept;
  void in_word(char c);
  void in_string(char c);
  void escaped(char c);
  void unicode_digit(char c);
  void end_token();
  void end_surrogate();
  void put(char c);
  void put_character(char32_t c);
  void take_captured();
  void take_last_line(std::optional<std::int64_t> number);
  void choose();
  /// Moves the decoded text to `text`; without `whole` an incomplete character at its end is held back.
  void pass_on(std::string& text, bool whole);

  std::int32_t asked_line_;
  const char* problem_ = nullptr;
  std::size_t at_ = 0;
  std::string head_;
  /// Open containers: `{` and `[`.
  std::array<char, depth_max> stack_{};
  std::size_t depth_ = 0;
  expects expects_ = expects::top;

  token token_ = token::none;
  use use_ = use::skip;
  char quote_ = 0;
  bool backslash_ = false;
  /// Digits left of a `\u` escape.
  int digits_left_ = 0;
  char32_t unit_ = 0;
  /// First half of a surrogate pair; 0: none.
  char32_t high_ = 0;
  std::string captured_;
  bool captured_all_ = true;

  /// Name of the current member, if it is short.
  std::string name_;
  bool in_chunk_ = false;
  chunk current_;
  std::optional<chunk> chosen_;
  bool has_code_ = false;
  bool has_message_ = false;
  /// A text of the log was passed on: further ones are skipped.
  bool has_text_ = false;
  bool text_ended_ = false;
  /// Decoded bytes that were not passed on yet.
  std::string raw_;
  log_text_facts facts_;
};

} // namespace ringmaster::protocol::wire
