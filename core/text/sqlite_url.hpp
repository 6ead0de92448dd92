#pragma once

// The part of `database.url` that every command reads: whether it names a SQLite file, and which.

#include <optional>
#include <string>
#include <string_view>

namespace ringmaster::core {

inline constexpr std::string_view sqlite_scheme = "sqlite:";

/// Path of a database in memory, which exists as long as the process.
inline constexpr std::string_view sqlite_memory = ":memory:";

/// Returns PATH of `sqlite:PATH`, which may be empty; unset for another kind of database.
[[nodiscard]] inline std::optional<std::string_view> sqlite_path(std::string_view url) noexcept {
  return url.starts_with(sqlite_scheme) ? std::optional{url.substr(sqlite_scheme.size())} : std::nullopt;
}

[[nodiscard]] inline std::string sqlite_url(std::string_view path) { return std::string{sqlite_scheme}.append(path); }

} // namespace ringmaster::core
