#pragma once

// How long the keys of a TOML text are, before it is parsed: toml++ makes one table in another for each part of a dotted key and
// ends them by recursion, so that a long key would end the process.

#include <cstddef>
#include <optional>
#include <string_view>

namespace ringmaster::config {

/// Nothing of ours has more than 4. toml++ nests values 256 deep, each with a key of its own: 2048 tables fit a small stack.
inline constexpr std::size_t key_parts_max = 8;

/// The line, from 1 on, of the first key or header with more than `key_parts_max` parts.
[[nodiscard]] std::optional<std::size_t> long_key_line(std::string_view text) noexcept;

} // namespace ringmaster::config
