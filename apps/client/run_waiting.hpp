#pragma once

// Waiting for the runs of a run request.

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "apps/client/api_client.hpp"
#include "core/result.hpp"

namespace ringmaster::apps {

/// Waits until a node has taken the request and returns its runs; empty when none did by `end`. Errors: `not_found` when the job
/// was removed first; permanent errors of the client.
[[nodiscard]] core::result<std::vector<std::int64_t>> await_runs(api_client& client, std::int64_t intent,
                                                                 std::chrono::steady_clock::time_point end);

/// Blocks until an executor has accepted the run or the run has ended. Returns false when it cannot be read, or at `end`.
[[nodiscard]] bool await_sending(api_client& client, std::int64_t run, std::chrono::steady_clock::time_point end);

/// Waits for the end of the run and returns it. Errors: `timeout`, `not_found` when its row was removed.
[[nodiscard]] core::result<api_document> await_end(api_client& client, std::int64_t run,
                                                   std::chrono::steady_clock::time_point end);

/// Returns the retry that follows this failed run; nullopt when none will follow.
[[nodiscard]] core::result<std::optional<std::int64_t>> await_retry(api_client& client, const api_document& run,
                                                                    std::chrono::steady_clock::time_point end);

} // namespace ringmaster::apps
