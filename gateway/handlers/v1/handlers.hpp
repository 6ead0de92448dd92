#pragma once

// The handlers of /api/v1.

#include <chrono>

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers::v1 {

// Jobs.

void job_list(exchange ex);

/// Answers 201. Without an author the caller becomes the author.
void job_add(exchange ex);
void job_read(exchange ex);

/// Replaces a job. Requires `If-Match` with the ETag that was read: 428 without it, 412 after an edit in between.
void job_replace(exchange ex);
void job_remove(exchange ex);
void job_start(exchange ex);
void job_stop(exchange ex);

/// Triggers a manual run: 202 when it is durable. The same `Idempotency-Key` of the same user for the same job is the same run.
void job_trigger(exchange ex);

/// Answers the outcome of a manual run.
void intent_read(exchange ex);

/// Lists the versions of a script, with the ETag of its present source.
void source_list(exchange ex);
/// Answers one version, with the ETag of the present source, which may be another one.
void source_read(exchange ex);
/// Stores a new version and answers its ETag. `If-Match` is optional; 412 if the present source has another ETag.
void source_save(exchange ex);

/// Answers runs, planned instants and edits of a time span, with what became of each instant; bounded in all directions.
void job_timeline(exchange ex);

// Many jobs at once. Each job is handled on its own, so that one that cannot be found stops none. Answers 200 with the
// outcome of each.

void jobs_start(exchange ex);
void jobs_stop(exchange ex);
/// Triggers all with the same parameter, addresses and `Idempotency-Key`.
void jobs_trigger(exchange ex);

// Tasks: the above with the filter of a list in place of ids, and removals, kills and reruns of many. Answer 202 with the task;
// 409 with `count` when the filter finds another number of objects than expected.

void jobs_remove(exchange ex);
void runs_kill(exchange ex);
/// Triggers the job of each run with the parameter and the executor of the run, or with those of the request.
void runs_rerun(exchange ex);

/// Answers the progress of a task of the caller; for an administrator of any task.
void task_read(exchange ex);
/// Ends a task as above: it begins with no further object. Answers its progress.
void task_abort(exchange ex);

// Executor groups.

/// Lists the groups that the caller may see.
void group_list(exchange ex);
/// Lists executors as the answering node knows them, of the groups that the caller may see.
void executor_list(exchange ex);
void refused_list(exchange ex);
void group_add(exchange ex);
void group_read(exchange ex);
void group_replace(exchange ex);
void group_remove(exchange ex);

// Runs, their logs and the daily figures.

void run_list(exchange ex);
void run_read(exchange ex);
/// Runs that this one repeats or follows, those that repeat or follow it, and the shards of its broadcast.
void run_related(exchange ex);

/// Time limit of a merged log: many executors are asked one after the other.
inline constexpr std::chrono::seconds merging_takes{8};

/// Answers the log from `from_line` on (first line: 1). The ETag shows whether there is more by now: 304 when there is not.
void run_log(exchange ex);
/// Answers the whole log as a text file, or a part of it (`Range`).
void run_log_file(exchange ex);
/// Answers the lines of the log that contain `q`, from `from_line` on.
void run_log_search(exchange ex);
void run_kill(exchange ex);
void runs_clear(exchange ex);

/// Answers the figures of the days from `from_ms` to before `to_ms`.
void report_list(exchange ex);

// Schedules, the cluster, the search and the API document.

/// Answers the next instants of a schedule, which need not belong to a job.
void schedule_preview(exchange ex);

/// Answers the instants of a time span, for the jobs that the caller may see; bounded in all directions.
void schedule_forecast(exchange ex);
/// Answers how many of these instants are in each part of the time span, and the busiest seconds.
void forecast_counts(exchange ex);
/// Answers these counts as they are, and as they would be if one job had another schedule. Changes nothing.
void schedule_what_if(exchange ex);

/// Answers the nodes of the cluster as this node sees them.
void node_list(exchange ex);

/// Answers what the nodes do now. The answer is kept for a second: a request within it asks no other actor for it.
void now_figures(exchange ex);

/// Answers the jobs, groups, runs and, for administrators, users that match a text.
void object_search(exchange ex);

/// Answers the OpenAPI document.
void document(exchange ex);

// Declared files.

/// Applies the files of the body. A store worker reads the body, which may have `apply_bytes_max`.
void files_apply(exchange ex);
void file_export(exchange ex);

/// Lists the sources of declared objects.
void declared_list(exchange ex);

/// Answers what an apply of the answering node's files of a source would change: 409 if it has none.
void declared_drift(exchange ex);

/// Answers one job as a table of a declared file.
void job_declaration(exchange ex);

// Users and the audit log.

void user_list(exchange ex);
void user_add(exchange ex);
void user_read(exchange ex);
void user_replace(exchange ex);
void user_remove(exchange ex);

/// Changes the caller's own password. Ends all sessions of the caller.
void password_change(exchange ex);

/// Answer and replace the caller's settings of the console.
void user_settings_read(exchange ex);
void user_settings_save(exchange ex);

/// Lists the changes, newest first.
void audit_list(exchange ex);
/// List the changes of one job or group, for its viewers.
void job_changes(exchange ex);
void group_changes(exchange ex);

// Sessions, and what a page must know about the server.

/// Signs a user in and sets the session cookie; ends the browser's former sessions. 401 for a wrong name or password.
void session_open(exchange ex);

/// Answers the caller, the caller's permissions, and, with a session, the CSRF token for requests that change something.
void session_show(exchange ex);

/// Ends the browser's sessions.
void session_end(exchange ex);

/// Lists the caller's open sessions; for an administrator all sessions, or those of one `user`.
void session_list(exchange ex);

/// Ends one session at once: of the caller, or, for an administrator, of any user.
void session_remove(exchange ex);

/// Answers the product and its languages; to users also the version, the clock, the zone and the limits.
void about(exchange ex);

// Elastic jobs.

/// Lists the elastic jobs that the caller may see.
void elastic_list(exchange ex);
void elastic_read(exchange ex);
/// Answers 201.
void elastic_add(exchange ex);
/// Replaces the definition of a job. Requires `If-Match` with the ETag that was read: 428 without it, 412 after an edit in
/// between.
void elastic_replace(exchange ex);
void elastic_remove(exchange ex);
/// Answers the plan that a definition would have now. Changes nothing.
void elastic_preview(exchange ex);
/// Answers one job as a table of a declared file.
void elastic_declaration(exchange ex);
/// Lists the items of a job with their hosts.
void elastic_items(exchange ex);
/// Lists the runs of the items of a job, newest first.
void elastic_history(exchange ex);
/// Answers the plan that the job would have now, perhaps without one host.
void elastic_plan(exchange ex);
/// Enables a job, or one item of it.
void elastic_enable(exchange ex);
/// Disables a job, or one item of it.
void elastic_disable(exchange ex);
/// Shuts a job down: its open runs go on, and it fires no more until it is enabled.
void elastic_shutdown(exchange ex);
/// Drains a job: its open runs are asked to end, and it fires no more until it is enabled.
void elastic_drain(exchange ex);
/// Cancels the open runs of a job and enables it.
void elastic_restart(exchange ex);
/// Enable or disable a host, by its id or IP address, for one job.
void elastic_server_enable(exchange ex);
void elastic_server_disable(exchange ex);
/// Answers the stored state of a job as lines of a path and a value.
void elastic_dump(exchange ex);
/// Cancels a run of an item.
void elastic_cancel(exchange ex);
/// Requests a run: 202 when the request is durable.
void elastic_trigger(exchange ex);
/// Lists the hosts of the caller's groups.
void elastic_hosts(exchange ex);
/// Set the mode of a host for all jobs, by its id, or of all known hosts with an IP address.
void elastic_host_enable(exchange ex);
void elastic_host_disable(exchange ex);
void elastic_host_drain(exchange ex);
void elastic_host_remove(exchange ex);
/// Lists the servers of the caller's groups by IP address, with counts.
void elastic_servers(exchange ex);

// Channels of alarms, and open alarms.

void channel_list(exchange ex);

/// Lists the rules of declared files.
void alarm_rule_list(exchange ex);

/// Answers the alarms that are not finished, and the latest messages of the answering node.
void open_alarm_list(exchange ex);

/// Sends a test message and answers how its delivery ended: 200 also when it failed.
void channel_test(exchange ex);

// The doctor of the answering node.

/// Answers the last report.
void doctor_read(exchange ex);

/// Starts the checks: 202 with the report, which the checks fill.
void doctor_start(exchange ex);

// API keys.

/// Lists the caller's keys; for an administrator all keys, or those of one `user`.
void key_list(exchange ex);

/// Answers 201 with the key, which is shown only this once.
void key_add(exchange ex);
void key_remove(exchange ex);

} // namespace ringmaster::gateway::handlers::v1
