#pragma once

// One table describes every setting once: its name, where it lives, what it may be. Loading, the environment, `--set` and
// the test of the example file all read this table.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/settings.hpp"
#include "core/result.hpp"

namespace ringmaster::config {

/// How a setting is written. `secret` and `url` (which may hold a password) may also be `{ env = "X" }` or `{ file = "…" }`.
enum class form : std::uint8_t { text, choice, secret, url, flag, integer, count, size, duration, list };

/// Reaches a setting's place inside the settings.
using place = std::variant<std::string& (*)(settings&), bool& (*)(settings&), std::int64_t& (*)(settings&),
                           std::size_t& (*)(settings&), milliseconds& (*)(settings&), std::vector<std::string>& (*)(settings&)>;

struct setting {
  /// `database.url`; without a dot for the top level.
  std::string_view name;
  form how = form::text;
  place where;
  /// Allowed values of numbers, in ms for durations and bytes for sizes.
  std::int64_t min = 0;
  std::int64_t max = 0;
  /// Allowed texts of a choice.
  std::vector<std::string_view> choices;
  /// One or more sentences for a person.
  std::string_view doc;
};

/// In the order of the settings: the top level first, then section by section.
[[nodiscard]] std::span<const setting> all_settings();

/// Null when there is none of that name.
[[nodiscard]] const setting* find_setting(std::string_view name);

/// A value before it is known to fit: what TOML has types for. `monostate`: of a type that no setting has.
using raw_value = std::variant<std::monostate, bool, std::int64_t, std::string, std::vector<std::string>>;

/// What `text` means for this setting: a variable's or an option's value. Lists are separated by commas.
[[nodiscard]] core::result<raw_value> read_text(const setting& which, std::string_view text);

/// Checks and stores. Errors: `invalid_argument`; what is wrong and what is allowed, without the setting's name, without a
/// secret.
[[nodiscard]] core::result<void> assign(settings& values, const setting& which, const raw_value& value);

} // namespace ringmaster::config
