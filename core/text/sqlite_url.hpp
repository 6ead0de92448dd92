#pragma once

// The one part of `database.url` that everybody reads: whether it names a SQLite file, and which.

#include <optional>
#include <string>
#include <string_view>

namespace ringmaster::core {

inline constexpr std::string_view sqlite_scheme = "sqlite:";

/// The path that lives in memory, as long as the process does.
inline constexpr std::string_view sqlite_memory = ":memory:";

/// PATH of `sqlite:PATH`, which may be empty; nothing for another kind of database.
[[nodiscard]] inline std::optional<std::string_view> sqlite_path(std::string_view url) noexcept {
  return url.starts_with(sqlite_scheme) ? std::optional{url.substr(sqlite_scheme.size())} : std::nullopt;
}

[[nodiscard]] inline std::string sqlite_url(std::string_view path) { return std::string{sqlite_scheme}.append(path); }

} // namespace ringmaster::core
