#pragma once

// Waiting for the runs that came of a request to run.

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "apps/client/api_client.hpp"
#include "core/result.hpp"

namespace ringmaster::apps {

/// The runs of a request, asked for until a node has taken it; empty when none has by `end`. Errors: `not_found` when the job
/// went away first; those of the client that time does not heal.
[[nodiscard]] core::result<std::vector<std::int64_t>> await_runs(api_client& client, std::int64_t intent,
                                                                 std::chrono::steady_clock::time_point end);

/// Blocks until an executor has taken the run, or it is over. False: it cannot be read, or `end` came first.
[[nodiscard]] bool await_sending(api_client& client, std::int64_t run, std::chrono::steady_clock::time_point end);

/// The run once it is over. Errors: `timeout`, `not_found` when its row is gone.
[[nodiscard]] core::result<api_document> await_end(api_client& client, std::int64_t run,
                                                   std::chrono::steady_clock::time_point end);

/// The retry that follows this failed run; nothing when there is none to come.
[[nodiscard]] core::result<std::optional<std::int64_t>> await_retry(api_client& client, const api_document& run,
                                                                    std::chrono::steady_clock::time_point end);

} // namespace ringmaster::apps
