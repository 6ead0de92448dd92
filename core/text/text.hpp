#pragma once

// Functions that cut text to the width of a column and parse numbers that columns store as text.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringmaster::core {

/// Returns the longest prefix of valid UTF-8 `text` with at most `units` UTF-16 units that ends at a character (XXL cuts by these
/// units).
[[nodiscard]] std::string_view cut_utf16(std::string_view text, std::size_t units) noexcept;

/// Returns the bytes (1 to 4) of the character at `pos`, 0 if no valid UTF-8 starts there (overlong forms and surrogates are
/// invalid).
[[nodiscard]] std::size_t utf8_character_size(std::string_view text, std::size_t pos) noexcept;

/// Counts the UTF-16 units of valid UTF-8.
[[nodiscard]] std::size_t utf16_units(std::string_view text) noexcept;

/// Returns `text` with every invalid UTF-8 byte replaced by U+FFFD and NUL removed, as text columns and JSON require.
[[nodiscard]] std::string valid_utf8(std::string_view text);

/// Counts the characters (code points) of valid UTF-8, which a column's width limits.
[[nodiscard]] std::size_t count_characters(std::string_view utf8) noexcept;

/// Returns true if the text has at most this many characters.
[[nodiscard]] bool fits(std::string_view utf8, std::size_t characters) noexcept;

/// Returns the longest prefix with at most this many characters.
[[nodiscard]] std::string_view cut_characters(std::string_view utf8, std::size_t characters) noexcept;

/// Returns the longest prefix with at most this many bytes that ends at a character.
[[nodiscard]] std::string_view cut_bytes(std::string_view utf8, std::size_t bytes) noexcept;

/// Returns true if no character is above U+0020, which is XXL's definition of blank.
[[nodiscard]] bool is_blank(std::string_view text) noexcept;

/// Removes and returns the first item of a comma list; `rest` is empty after the last one.
[[nodiscard]] std::string_view take_item(std::string_view& rest) noexcept;

/// Returns the text without leading and trailing spaces, tabs and line ends.
[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;

/// Returns the last `lines` lines of `text` without trailing line ends, at most `bytes` bytes. Excess bytes are removed from the
/// beginning, which may cut a character.
[[nodiscard]] std::string_view last_lines(std::string_view text, std::size_t lines, std::size_t bytes) noexcept;

/// Parses a decimal 32-bit number with an optional sign and no other characters, as XXL reads numbers; unset otherwise.
[[nodiscard]] std::optional<std::int32_t> parse_int32(std::string_view text) noexcept;

/// Maximum length of handle_msg in XXL, and of trigger_msg in Ringmaster, in UTF-16 units.
inline constexpr std::size_t message_units_max = 15000;
/// Converts any bytes to a stored message: valid UTF-8 that is not too long.
[[nodiscard]] std::string to_message(std::string_view bytes);

/// Returns true if the text has an invisible character that changes how the text looks: a control of the direction of writing
/// (U+061C, U+200E, U+200F, U+202A-U+202E, U+2066-U+2069) or a character without a width (U+200B-U+200D, U+2060-U+2065, U+FEFF).
/// Two names that differ only in these look the same.
[[nodiscard]] bool has_hidden_characters(std::string_view utf8) noexcept;
/// Says in messages, after the name of a field, why such a name is refused.
inline constexpr std::string_view no_hidden_characters =
  "must not contain characters that change the direction of writing or have no width";

/// Compares in a time that does not depend on the position of the first difference.
[[nodiscard]] bool equal_in_constant_time(std::string_view given, std::string_view expected) noexcept;

} // namespace ringmaster::core
