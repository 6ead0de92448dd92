#pragma once

// How wide a text is on a terminal.

#include <cstddef>
#include <string_view>

namespace ringmaster::core {

/// Columns of one line without control characters: two for wide characters and emoji, none for what is put on the one before it.
[[nodiscard]] std::size_t columns_of(std::string_view utf8) noexcept;

/// The longest beginning that has at most so many columns; never a part of a character.
[[nodiscard]] std::string_view cut_columns(std::string_view utf8, std::size_t columns_max) noexcept;

} // namespace ringmaster::core
