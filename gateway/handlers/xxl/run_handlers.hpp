#pragma once

// Runs, their logs and the daily figures (XXL admin §8.5, §8.7), in both dialects.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers {

/// Answers a page of runs, newest first.
void run_list(exchange ex);

/// Answers the jobs of a group for a selection list, at most as many as a page can have.
void jobs_by_group(exchange ex);

/// Answers a part of a run's log from `fromLineNum` on. The executor is the one of the row, whatever else the request says.
void log_part(exchange ex);

/// Ends the job's work on the executor of a run.
void run_kill(exchange ex);

/// Removes runs by age or number. Answered when they are gone.
void runs_clear(exchange ex);

/// Answers counts of runs by day.
void chart(exchange ex);

} // namespace ringmaster::gateway::handlers
