#pragma once

// The log of a run, printed part by part.

#include <cstdint>

#include "apps/client/api_client.hpp"

namespace ringmaster::apps {

/// Prints the log of a run until the run ends. Blocks. A short outage of the executor or the server ends nothing. Returns the
/// exit code.
[[nodiscard]] int follow_log(api_client& client, std::int64_t run);

} // namespace ringmaster::apps
