#pragma once

// The handlers of XXL-JOB's interfaces, for executors and for the console, and those of health and metrics.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers {

// Requests of executors (XXL wire §1, §3). Every answer is HTTP 200 with the outcome in `code`.

/// Registers or renews one address; answered at once.
void registry(exchange ex);

/// Withdraws exactly that address; answered at once, whether the address was known or not.
void registry_remove(exchange ex);

/// Stores results of runs. Answered when they are durable, and only then. Until the store has them there is no answer, because
/// some executors turn a refused callback into a second, failing one (firing protocol, T4). A body that cannot be read is refused
/// at once.
void callback(exchange ex);

// Job management for executors' programs, as in release 3.5 (XXL admin §8.12): under `/api/`, with the token and the app name of
// an executor.

void add_job(exchange ex);
/// Updates a job; keeps its group, children and source.
void update_job(exchange ex);
void remove_job(exchange ex);
void start_job(exchange ex);
void stop_job(exchange ex);
void trigger_job(exchange ex);

// Jobs and the sources of scripts (XXL admin §8.6, §8.8), in both dialects.

/// Answers a page of jobs, newest id first.
void job_list(exchange ex);

/// Adds a job. Answers the new id as text.
void job_add(exchange ex);
void job_update(exchange ex);

/// Removes a job. Answers success also when there is no such job.
void job_remove(exchange ex);

void job_start(exchange ex);
void job_stop(exchange ex);

/// Triggers a manual run. Answered when it is durable. Without `executorParam` the parameter is empty, not the job's own.
void job_trigger(exchange ex);

/// Answers up to five instants from now, as local times.
void next_trigger_time(exchange ex);

/// Saves a new source of a script.
void source_save(exchange ex);

// Executor groups (XXL admin §8.9), in both dialects.

void group_list(exchange ex);
void group_add(exchange ex);
void group_update(exchange ex);

/// Answers success also when there is no such group.
void group_remove(exchange ex);

/// Answers one row, for every user who may see the group.
void group_load(exchange ex);

// Runs, their logs and the daily figures (XXL admin §8.5, §8.7), in both dialects.

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

// Management of users by administrators, and the change of the caller's own password (XXL admin §8.10), in both dialects.

void user_list(exchange ex);
void user_add(exchange ex);
void user_update(exchange ex);
void user_remove(exchange ex);

/// Changes the caller's own password. Ends all sessions of the caller, this one included. Up to 2.4.1 no old password was sent,
/// which is refused here.
void password_change(exchange ex);

// Sign-in and sign-out, in both dialects (XXL admin §8.2, §8.3).

/// Signs in with `userName`, `password`, `ifRemember` (`on`) and answers with a session in the dialect's cookie. Ends every
/// session that the request's cookies of either dialect name, and removes the other dialect's cookie.
void sign_in(exchange ex);

/// Ends every session that the request carries, and removes its cookies. Answers success also without a session.
void sign_out(exchange ex);

/// Answers a page without scripts; redirects a signed-in user to `/`.
void sign_in_page(exchange ex);

// Pages for browsers.

/// Answers 200 with a page that names this server and links its interfaces. It shows neither version nor data.
void start_page(exchange ex);

// Health and metrics for operators and their tools.

/// Answers 200 `ok` while the process dispatches requests.
void livez(exchange ex);

/// Answers 200 when the node serves, else 503: `{"ready":…}`, and for operators the reasons.
void readyz(exchange ex);

/// Answers as XXL-JOB does: 200 `{"status":"UP"}` when the node serves, else 503 `{"status":"DOWN"}`.
void actuator_health(exchange ex);

/// Answers every metric of the process in Prometheus's text format.
void metrics(exchange ex);

} // namespace ringmaster::gateway::handlers
