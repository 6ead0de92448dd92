#pragma once

// The API key with which commands come to a server. Never an argument: those stand in the list of processes.

#include <optional>
#include <string>

#include "config/load.hpp"
#include "core/result.hpp"

namespace ringmaster::apps {

/// From `file`, else from the file that RINGMASTER_TOKEN_FILE names, else RINGMASTER_TOKEN. Errors: `invalid_argument` when there
/// is none, for what is no key, and for a file of the caller's that others may read. No message holds the key.
[[nodiscard]] core::result<std::string> read_token(const std::optional<std::string>& file, const config::environment& variable);

} // namespace ringmaster::apps
