#pragma once

// Loads settings from a TOML file, then environment variables, then options; later ones take precedence. This is the only reader
// of the environment.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.hpp"
#include "core/result.hpp"

namespace ringmaster::config {

/// Returns the value of a variable; unset if it does not exist. Tests provide their own.
using environment = std::function<std::optional<std::string>(const std::string& name)>;

/// Returns the environment of this process.
[[nodiscard]] environment process_environment();

struct load_request {
  /// `--config`. Unset: RINGMASTER_CONFIG, else `default_file` if it exists, else the built-in defaults.
  std::optional<std::string> file;
  /// `key=value` of each `--set`, e.g. `server.listen=0.0.0.0:8080`.
  std::vector<std::string> set;
  environment variable = process_environment();
  std::string default_file = "/etc/ringmaster/ringmaster.toml";
};

/// Reads, merges and validates the settings. Secret files are relative to the configuration file, whose folder becomes
/// `deploy.base_dir`; names of PEM files are made relative to it, too. Every key has a variable (`database.url`:
/// RINGMASTER_DATABASE_URL). An empty variable counts as unset; unknown variables are ignored, because orchestrators set some.
/// Errors: `invalid_argument`; one line for each error, with file and line, variable or option, key, and the allowed values. An
/// error that follows from another invalid value is omitted. Never a secret.
[[nodiscard]] core::result<settings> load(const load_request& request);

/// Returns the variable of a key: `RINGMASTER_DATABASE_URL` for `database.url`.
[[nodiscard]] std::string variable_name(std::string_view key);

} // namespace ringmaster::config
