#pragma once

// Parts of error messages about the configuration. Internal to config and to callers that validate settings without a file.

#include <initializer_list>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ringmaster::config {

/// Places where settings were given.
class origins {
public:
  /// Sets the place of a key: `file:line`, a variable's name, or the option with its key. A later call replaces it.
  void set(std::string_view key, std::string place) { places_.insert_or_assign(std::string{key}, std::move(place)); }

  /// Marks a key whose value was invalid and not stored, so that settings that depend on it are not checked.
  void refuse(std::string_view key) { refused_.emplace(key); }
  void accept(std::string_view key) { refused_.erase(std::string{key}); }

  [[nodiscard]] bool any_refused(std::initializer_list<std::string_view> keys) const;

  /// Returns `c.toml:3: ` for the first of `keys` that was given; empty if all are defaults.
  [[nodiscard]] std::string prefix(std::initializer_list<std::string_view> keys) const;

  /// Returns place and key, each once: `c.toml:3: log.level`, `RINGMASTER_LOG_LEVEL: log.level`, `--set log.level`, `log.level`.
  [[nodiscard]] std::string subject(std::string_view key) const;

private:
  std::map<std::string, std::string, std::less<>> places_;
  std::set<std::string, std::less<>> refused_;
};

/// Returns the suggestion for an unknown name, `; did you mean 'x'?`, with the closest of `known`; empty if none is close.
[[nodiscard]] std::string suggestion(std::string_view wrong, std::span<const std::string_view> known);

/// Returns `invalid_argument` with the lines joined by line feeds.
[[nodiscard]] inline core::error to_error(const std::vector<std::string>& lines) {
  core::error out{core::errc::invalid_argument, {}};
  for (const std::string& line : lines)
    out.context.append(out.context.empty() ? "" : "\n").append(line);
  return out;
}

} // namespace ringmaster::config
