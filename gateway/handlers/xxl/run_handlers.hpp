#pragma once

// Runs, their logs and the figures of days (XXL admin §8.5, §8.7), in both dialects.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers {

/// A page of runs, newest first.
void run_list(exchange ex);

/// The jobs of a group for a list of choices, at most as many as a page can have.
void jobs_by_group(exchange ex);

/// A part of a run's log from `fromLineNum` on. The executor is that of the row, whatever else the request says.
void log_part(exchange ex);

/// Ends the job's work on the executor of a run.
void run_kill(exchange ex);

/// Removes runs by age or number. Answered when they are gone.
void runs_clear(exchange ex);

/// Counts of runs by day.
void chart(exchange ex);

} // namespace ringmaster::gateway::handlers
