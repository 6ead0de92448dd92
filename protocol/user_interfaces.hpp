#pragma once

// Catalogue of the actors that serve users: jobs, groups, runs, logs, users, figures. The rules of actor_interfaces.hpp hold.

#include <caf/result.hpp>
#include <caf/typed_actor.hpp>

#include "protocol/type_ids.hpp"

namespace ringmaster::protocol {

/// Edits jobs for users and declared files. An edit is answered when no run of the old definitions is on its way any more, or
/// after a second with their number; the actors that plan and route are woken. Errors of all: unavailable; forbidden where `by`
/// lacks the permission.
using job_admin = caf::typed_actor<
  /// Applies the declarations of a source, all or nothing. Replies the changes (or those of a dry run). Errors: conflict,
  /// invalid_argument.
  caf::result<core::deploy_report>(apply_declared),
  /// Applies files that an administrator sends. Errors: as above; invalid_argument has a line for each mistake in them.
  caf::result<files_applied>(apply_files),
  /// Exports jobs as a declared file; administrators only. Errors: not_found, too_large.
  caf::result<exported_file>(export_query),
  /// Administrators only.
  caf::result<alarm_rules>(alarm_rules_query),
  /// Administrators only.
  caf::result<open_alarms>(open_alarms_query),
  /// Administrators only.
  caf::result<declared_sources>(declared_query),
  /// Replies what an apply of this node's files would change; administrators only. Errors: not_found; conflict, with a line for
  /// each mistake in the files, or when this node has no files of the source.
  caf::result<files_applied>(drift_query),
  /// Errors: not_found.
  caf::result<exported_file>(declaration_query),
  /// Errors: not_found, invalid_argument with XXL's text.
  caf::result<core::job_edit>(start_job),
  /// Errors: not_found.
  caf::result<core::job_edit>(stop_job),
  /// Triggers a manual run; this node claims it at once. Replies the intent. Errors: not_found, invalid_argument.
  caf::result<core::intent>(trigger_job),
  /// Removes the job and then, in the background, its log. Errors: not_found, conflict.
  caf::result<core::job_edit>(remove_job),
  /// Adds a stopped job. Errors: invalid_argument with XXL's refusal.
  caf::result<added_job>(add_job),
  /// Errors: not_found, conflict (a later edit, a declared job), invalid_argument with XXL's refusal.
  caf::result<core::job_edit>(update_job),
  /// Saves a new source of a script and keeps it in the history. Errors: as update_job.
  caf::result<core::job_edit>(save_source),
  /// Errors: not_found.
  caf::result<job_found>(job_query),
  caf::result<job_page>(job_page_query),
  /// Replies versions of a job's source, newest first, and the tag of the present one. Errors: not_found.
  caf::result<source_list>(source_query),
  /// Replies the instants of a time span, for the jobs that `by` may see. Errors: not_found, invalid_argument (too many jobs),
  /// unavailable (other forecasts are under way).
  caf::result<forecast_found>(forecast_query),
  /// Replies counts of firings, perhaps before and after a change of one schedule. Errors: as forecast_query, invalid_argument
  /// also for the changed schedule.
  caf::result<counts_found>(counts_query),
  /// Replies the outcome of a manual run. Errors: not_found.
  caf::result<intent_found>(intent_query),
  /// Replies the jobs, groups, runs and users that match a text, of those that `by` may see. Errors: unavailable (other searches
  /// are under way).
  caf::result<objects_found>(object_query),
  /// Replies runs, instants and edits of a job on one axis. Errors: not_found.
  caf::result<timeline_found>(timeline_query)>;

/// Edits executor groups for administrators; registry_monitor is woken. Errors of all: unavailable, forbidden.
using group_admin = caf::typed_actor<
  /// Errors: not_found, conflict, invalid_argument with XXL's refusal.
  caf::result<saved_group>(save_group),
  /// Errors: conflict.
  caf::result<void>(remove_group),
  /// Replies one row. Errors: not_found.
  caf::result<group_page>(group_query),
  caf::result<group_page>(group_page_query),
  caf::result<group_page>(visible_groups_query)>;

/// Shows runs and their logs to users. Errors of all: unavailable, forbidden.
using run_admin = caf::typed_actor<
  caf::result<run_page>(run_page_query),
  /// Errors: not_found.
  caf::result<run_found>(run_query),
  /// Errors: not_found.
  caf::result<related_found>(related_query),
  /// Asks the executor of the row, and no other. Errors: not_found, invalid_argument (no address, not triggered), timeout.
  caf::result<core::run_log>(run_log_query),
  /// Replies when the whole log is here, after a minute at most. Errors: as for a part.
  caf::result<run_file>(run_file_query),
  caf::result<log_matches>(run_search_query),
  /// Errors: not_found, invalid_argument (not triggered, or the executor's text).
  caf::result<run_killed>(kill_run),
  /// Replies when all are removed, or after 5 s while clearing goes on; a repeated request joins it. Errors: invalid_argument.
  caf::result<runs_cleared>(clear_runs),
  caf::result<day_reports>(report_query)>;

/// Does one action with many jobs or runs, in small steps, with the messages of the single operations: the actors that do them
/// check permissions and write the audit log, object by object. A task belongs to the user who began it; administrators see all.
using task_runner = caf::typed_actor<
  /// Replies when the objects are known. Errors: forbidden (without the permission in any group), conflict (the search finds
  /// another number of objects, which is the subject; or another request with the same token), too_large (too many tasks at
  /// once; the subject is the number of seconds to wait), those of the search.
  caf::result<task_begun>(begin_task),
  /// Errors: not_found.
  caf::result<task_found>(task_query),
  /// Replies the progress so far. Errors: not_found.
  caf::result<task_found>(abort_task)>;

/// Keeps copies of executors' logs in files while users read them. Detached: it blocks on the disk. Errors of all: unavailable,
/// timeout; with the subject `spool` when there is no place for a copy, with `pieces` as `spool_read` says.
using log_spool = caf::typed_actor<
  caf::result<core::run_log>(spool_read),
  caf::result<run_file>(spool_open),
  caf::result<log_matches>(spool_search),
  /// INTERNAL: a source wants its next bytes.
  caf::result<void>(spool_fill),
  /// INTERNAL: bytes of an answer have arrived.
  caf::result<void>(spool_arrival),
  /// INTERNAL: readers that waited long enough, copies that were not read for long.
  caf::result<void>(tick_atom)>;

/// Follows logs as they are written: holds readers back until there is more, asking run_admin once a second for each run. Errors:
/// as run_admin. A reader for whom there is no room is answered at once with the present log.
using log_follower = caf::typed_actor<
  caf::result<core::run_log>(follow_log),
  /// Stops: waiting readers are answered with the present log, and none is held back any more.
  caf::result<void>(stop_request),
  /// INTERNAL: polls that are due, waits that have ended.
  caf::result<void>(tick_atom)>;

/// Makes and checks stored forms of passwords, which takes some hundredths of a second. Detached, no state. Errors: unavailable
/// (no memory, no random numbers).
using password_keeper = caf::typed_actor<
  caf::result<password_verdict>(check_password),
  caf::result<hashed_password>(hash_password)>;

/// Manages users, sessions and the audit log. Keeps found sessions for a second. Errors of all: unavailable, forbidden.
using user_admin = caf::typed_actor<
  /// Errors: invalid_argument (sign_in_empty, sign_in_wrong), too_large (too many failures, or sign-ins at once; the subject is
  /// the number of seconds to wait).
  caf::result<signed_in>(sign_in),
  caf::result<void>(sign_out),
  /// Errors: not_found.
  caf::result<identified>(identify),
  caf::result<user_page>(user_query),
  /// Errors: not_found.
  caf::result<user_found>(user_by_id),
  /// Errors: not_found, conflict, invalid_argument with XXL's refusal.
  caf::result<saved_user>(save_user),
  caf::result<void>(remove_user),
  /// Changes the password and ends all of the user's sessions. Errors: invalid_argument (old_password_empty, old_password_wrong,
  /// password_empty, name_length, or a publicly known password), conflict, too_large as sign_in.
  caf::result<void>(change_password),
  caf::result<audit_list>(audit_query),
  /// Replies the changes of one job or group. Errors: not_found.
  caf::result<audit_list>(changes_query),
  /// Errors: not_found; too_large after too many failures (the subject is the number of seconds to wait).
  caf::result<identified>(identify_key),
  /// Errors: those of api_key_store::add.
  caf::result<added_key>(add_key),
  /// Errors: forbidden, not_found.
  caf::result<void>(remove_key),
  /// Errors: forbidden.
  caf::result<key_list>(key_query),
  /// Errors: forbidden.
  caf::result<session_page>(session_query),
  /// Errors: forbidden, not_found.
  caf::result<void>(end_session),
  caf::result<user_settings_found>(user_settings_query),
  /// Errors: invalid_argument, not_found.
  caf::result<void>(save_user_settings),
  /// Errors: as sign_in.
  caf::result<signed_in>(one_time_sign_in)>;

/// Tests the channels of alarms for administrators. Errors of all: forbidden.
using alarm_tester = caf::typed_actor<
  caf::result<channel_list>(channels_query),
  /// Replies how the delivery ended, at the latest at the limit of the request. Errors: not_found, invalid_argument, too_large
  /// (too soon after the last test, or too many at once; the subject is the number of seconds to wait).
  caf::result<channel_tested>(test_channel),
  /// Arrives from the notifier.
  caf::result<void>(notice_done),
  /// INTERNAL: a test may have reached its limit.
  caf::result<void>(tick_atom)>;

/// Keeps the figures of this node that the console shows, and the counters of its last 15 minutes.
using figure_keeper = caf::typed_actor<
  /// Replies figures that are at most a second old; asks other actors and the store only then. Never an error.
  caf::result<figures_told>(figures_query),
  /// INTERNAL: the end of a step of the counters.
  caf::result<void>(tick_atom)>;

/// Has the node checked as `ringmaster doctor` does, for administrators. Errors of all: forbidden.
using doctor = caf::typed_actor<
  /// Replies the last report.
  caf::result<doctor_report>(doctor_query),
  /// Starts the checks and replies the new report, or that of the checks that run. Errors: unsupported; unavailable while a check
  /// of an earlier report has not ended.
  caf::result<doctor_report>(start_doctor),
  /// Arrives from the examiner.
  caf::result<void>(doctor_progress),
  /// INTERNAL: a report may have reached its time limit.
  caf::result<void>(tick_atom)>;

/// Shows elastic jobs to users, and takes their orders. Errors of all: unavailable, forbidden; of all about one job: not_found.
using elastic_admin = caf::typed_actor<
  caf::result<elastic_page>(elastic_page_query),
  caf::result<elastic_found>(elastic_query),
  caf::result<elastic_items_found>(elastic_items_query),
  caf::result<elastic_history_page>(elastic_history_query),
  caf::result<elastic_host_list>(elastic_hosts_query),
  caf::result<elastic_server_list>(elastic_servers_query),
  caf::result<elastic_dump_found>(elastic_dump_query),
  /// Errors: invalid_argument (an unknown strategy).
  caf::result<elastic_plan_preview>(elastic_plan_query),
  /// Errors: invalid_argument for a definition that could not be stored.
  caf::result<elastic_plan_preview>(elastic_draft_query),
  caf::result<exported_file>(elastic_declaration_query),
  /// Reply when the edit is durable; nodes learn of it afterwards. Errors: invalid_argument, with the member that is wrong first;
  /// conflict (a name that exists, a declared job, a later edit, items that run); unavailable also while the clock is in doubt
  /// and the job would be planned.
  caf::result<elastic_edited>(add_elastic),
  caf::result<elastic_edited>(update_elastic),
  caf::result<elastic_edited>(remove_elastic),
  /// Replies when the new status is durable; nodes learn of it afterwards. Errors: unavailable also while the clock is in doubt
  /// and the job would be planned.
  caf::result<elastic_edited>(set_elastic_status),
  caf::result<elastic_edited>(set_elastic_item),
  /// Errors: not_found also for a server without a host.
  caf::result<elastic_edited>(set_elastic_server),
  /// Errors: as of set_elastic_status.
  caf::result<elastic_edited>(restart_elastic),
  /// Errors: conflict (the run has ended).
  caf::result<elastic_edited>(cancel_elastic_run),
  /// Errors: not_found; conflict (a host to be removed is up, or items run on it).
  caf::result<elastic_host_edited>(set_elastic_host),
  /// Replies when the request is durable. Errors: conflict (too many requests wait), too_large.
  caf::result<elastic_triggered>(trigger_elastic)>;

} // namespace ringmaster::protocol
