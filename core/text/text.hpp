#pragma once

// Cutting text to what a column holds, and reading the numbers that columns keep as text.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringmaster::core {

/// The longest prefix of valid UTF-8 `text` with at most `units` UTF-16 units that ends at a character (XXL cuts by these units).
[[nodiscard]] std::string_view cut_utf16(std::string_view text, std::size_t units) noexcept;

/// `text` with every invalid UTF-8 byte replaced by U+FFFD and NUL removed: what a text column and JSON can hold.
[[nodiscard]] std::string valid_utf8(std::string_view text);

/// Characters (code points) of valid UTF-8: what a column's width counts.
[[nodiscard]] std::size_t count_characters(std::string_view utf8) noexcept;

/// Has at most so many characters.
[[nodiscard]] bool fits(std::string_view utf8, std::size_t characters) noexcept;

/// The longest prefix with at most so many characters.
[[nodiscard]] std::string_view cut_characters(std::string_view utf8, std::size_t characters) noexcept;

/// The longest prefix with at most so many bytes that ends at a character.
[[nodiscard]] std::string_view cut_bytes(std::string_view utf8, std::size_t bytes) noexcept;

/// Nothing in it is above U+0020: what XXL calls blank.
[[nodiscard]] bool is_blank(std::string_view text) noexcept;

/// Takes the next item of a comma list off its front; nothing is left behind the last one.
[[nodiscard]] std::string_view take_item(std::string_view& rest) noexcept;

/// Without spaces, tabs and ends of lines at its ends.
[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;

/// Returns the last `lines` lines of `text` without the ends of lines behind them, at most `bytes` of them: what is too much goes
/// from their beginning, and may cut a character.
[[nodiscard]] std::string_view last_lines(std::string_view text, std::size_t lines, std::size_t bytes) noexcept;

/// A decimal 32-bit number with an optional sign and nothing else around it, as XXL reads numbers; nothing otherwise.
[[nodiscard]] std::optional<std::int32_t> parse_int32(std::string_view text) noexcept;

/// XXL's bound on handle_msg and, for us, trigger_msg: UTF-16 units.
inline constexpr std::size_t message_units_max = 15000;
/// Of any bytes, what is stored as a message: valid UTF-8, not too long.
[[nodiscard]] std::string to_message(std::string_view bytes);

/// Takes the same time wherever the first difference is.
[[nodiscard]] bool equal_in_constant_time(std::string_view given, std::string_view expected) noexcept;

} // namespace ringmaster::core
