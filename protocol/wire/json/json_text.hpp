#pragma once

// JSON strings, reading and writing. Internal to the codecs.

#include <cstdint>
#include <string>
#include <string_view>

namespace ringmaster::protocol::wire {

/// Returns true for ASCII without NUL, whose UTF-8 need not be checked.
[[nodiscard]] bool is_plain_text(std::string_view text) noexcept;

/// Appends a character as UTF-8.
void append_utf8(std::string& out, char32_t c);

/// Returns the character that an escaped letter stands for; 0 for none.
[[nodiscard]] char escape_of(char letter) noexcept;

/// Appends the text that the inside of a JSON string stands for. A lone surrogate becomes U+FFFD. Returns false for an unknown or
/// incomplete escape.
[[nodiscard]] bool unescape_json(std::string& out, std::string_view inside);

/// `post`: every `POST` is written `\u0050OST`, for executors that split their input there (XXL wire S11).
enum class split : std::uint8_t { none, post };

/// Appends `text` as a JSON string with its quotes. Invalid UTF-8 is replaced, NUL dropped.
void append_json(std::string& out, std::string_view text, split where = split::none);

/// Appends a number.
void append_json(std::string& out, std::int64_t number);

} // namespace ringmaster::protocol::wire
