#pragma once

// Where settings come from: a TOML file, then environment variables, then options. The later one wins. The only reader of the
// environment.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.hpp"
#include "core/result.hpp"

namespace ringmaster::config {

/// The value of a variable, or nothing when it is not set. Tests give their own.
using environment = std::function<std::optional<std::string>(const std::string& name)>;

/// The environment of this process.
[[nodiscard]] environment process_environment();

struct load_request {
  /// `--config`. Nothing: RINGMASTER_CONFIG, else `default_file` if it exists, else the built-in defaults.
  std::optional<std::string> file;
  /// `key=value` of each `--set`, e.g. `server.listen=0.0.0.0:8080`.
  std::vector<std::string> set;
  environment variable = process_environment();
  std::string default_file = "/etc/ringmaster/ringmaster.toml";
};

/// Reads, merges and validates. Secret files are relative to the configuration file, and `deploy.base_dir` becomes its folder;
/// names of PEM files are made relative to it, too.
/// Every key has a variable (`database.url`: RINGMASTER_DATABASE_URL); an empty variable counts as unset; variables of another
/// name are left alone, because orchestrators make some up. Errors: `invalid_argument`; one line for each thing wrong, with file
/// and line, variable or option, key, and what is allowed; what depends on a value that is itself wrong is left out. Never a
/// secret.
[[nodiscard]] core::result<settings> load(const load_request& request);

/// `database.url` to `RINGMASTER_DATABASE_URL`.
[[nodiscard]] std::string variable_name(std::string_view key);

} // namespace ringmaster::config
