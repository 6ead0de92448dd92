#pragma once

// What a run writes, printed part by part.

#include <cstdint>

#include "apps/client/api_client.hpp"

namespace ringmaster::apps {

/// Prints the log of a run until the run is over. Blocks; an executor or a server that is away for a moment ends nothing. The
/// exit code.
[[nodiscard]] int follow_log(api_client& client, std::int64_t run);

} // namespace ringmaster::apps
