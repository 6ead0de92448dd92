#pragma once

// Width of a text on a terminal.

#include <cstddef>
#include <string_view>

namespace ringmaster::core {

/// Returns the columns of one line without control characters: two for wide characters and emoji, none for combining characters.
[[nodiscard]] std::size_t columns_of(std::string_view utf8) noexcept;

/// Returns the longest prefix with at most this many columns; never a part of a character.
[[nodiscard]] std::string_view cut_columns(std::string_view utf8, std::size_t columns_max) noexcept;

/// Returns the longest suffix with at most this many columns. It never begins with a part of a character or a combining
/// character.
[[nodiscard]] std::string_view end_columns(std::string_view utf8, std::size_t columns_max) noexcept;

} // namespace ringmaster::core
