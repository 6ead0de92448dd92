#pragma once

// One table describes every setting once: name, place and allowed values. Loading, the environment, `--set` and the test of the
// example file read this table.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/settings.hpp"
#include "core/result.hpp"

namespace ringmaster::config {

/// Written form of a setting. `secret` and `url` (which may hold a password) may also be `{ env = "X" }` or `{ file = "…" }`.
enum class form : std::uint8_t { text, choice, secret, url, flag, integer, count, size, duration, list };

/// Function that returns a reference to a setting inside the settings.
using place = std::variant<std::string& (*)(settings&), bool& (*)(settings&), std::int64_t& (*)(settings&),
                           std::size_t& (*)(settings&), milliseconds& (*)(settings&), std::vector<std::string>& (*)(settings&)>;

struct setting {
  /// For example `database.url`; without a dot for the top level.
  std::string_view name;
  form how = form::text;
  place where;
  /// Limits of numbers, in ms for durations and bytes for sizes.
  std::int64_t min = 0;
  std::int64_t max = 0;
  /// Allowed values of a choice.
  std::vector<std::string_view> choices;
  /// Description in one or more sentences.
  std::string_view doc;
};

/// Returns all settings in order: the top level first, then section by section.
[[nodiscard]] std::span<const setting> all_settings();

/// Returns the setting; null if the name is unknown.
[[nodiscard]] const setting* find_setting(std::string_view name);

/// An unchecked value of a TOML type. `monostate`: a type that no setting has.
using raw_value = std::variant<std::monostate, bool, std::int64_t, std::string, std::vector<std::string>>;

/// Parses the value of a variable or an option for this setting. Lists are separated by commas.
[[nodiscard]] core::result<raw_value> read_text(const setting& which, std::string_view text);

/// Checks and stores a value. Errors: `invalid_argument` with the error and the allowed values, without the setting's name and
/// without a secret.
[[nodiscard]] core::result<void> assign(settings& values, const setting& which, const raw_value& value);

} // namespace ringmaster::config
