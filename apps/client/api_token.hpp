#pragma once

// The API key of the commands. It is never an argument, because arguments are visible in the process list.

#include <optional>
#include <string>

#include "config/load.hpp"
#include "core/result.hpp"

namespace ringmaster::apps {

/// Reads the key from `file`, else from the file named by RINGMASTER_TOKEN_FILE, else from RINGMASTER_TOKEN. Errors:
/// `invalid_argument` when there is none, when it is not a key, and when the caller's file is readable by others. No message
/// contains the key.
[[nodiscard]] core::result<std::string> read_token(const std::optional<std::string>& file, const config::environment& variable);

} // namespace ringmaster::apps
