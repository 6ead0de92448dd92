#pragma once

// Runs, their logs and the daily figures in /api/v1.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers::v1 {

void run_list(exchange ex);
void run_read(exchange ex);

/// Answers the log from `from_line` on (first line: 1). The ETag shows whether there is more by now: 304 when there is not.
void run_log(exchange ex);
void run_kill(exchange ex);
void runs_clear(exchange ex);

/// Answers the figures of the days from `from_ms` to before `to_ms`.
void report_list(exchange ex);

} // namespace ringmaster::gateway::handlers::v1
