#pragma once

// Checks the length of keys before a TOML text is parsed. toml++ creates a nested table for each part of a dotted key and
// destroys them by recursion, so that a long key would crash the process.

#include <cstddef>
#include <optional>
#include <string_view>

namespace ringmaster::config {

/// Maximum number of parts. Keys of the configuration have at most 4. toml++ nests values 256 deep, each with its own key: 2048
/// tables fit a small stack.
inline constexpr std::size_t key_parts_max = 8;

/// Returns the line, counted from 1, of the first key or header with more than `key_parts_max` parts.
[[nodiscard]] std::optional<std::size_t> long_key_line(std::string_view text) noexcept;

} // namespace ringmaster::config
