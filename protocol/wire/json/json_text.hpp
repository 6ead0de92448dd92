#pragma once

// Strings of JSON, both ways. Internal to the codecs.

#include <cstdint>
#include <string>
#include <string_view>

namespace ringmaster::protocol::wire {

/// ASCII without NUL: needs no look at its UTF-8.
[[nodiscard]] bool is_plain_text(std::string_view text) noexcept;

/// Appends what the inside of a JSON string stands for. A lone surrogate becomes U+FFFD. False for an unknown or cut escape.
[[nodiscard]] bool unescape_json(std::string& out, std::string_view inside);

/// `post`: every `POST` is written `\u0050OST`, for executors that split their input there (XXL wire S11).
enum class split : std::uint8_t { none, post };

/// Appends `text` as a JSON string with its quotes. Invalid UTF-8 is replaced, NUL dropped.
void append_json(std::string& out, std::string_view text, split where = split::none);

/// Appends a number.
void append_json(std::string& out, std::int64_t number);

} // namespace ringmaster::protocol::wire
