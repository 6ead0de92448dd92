#pragma once

// The catalogue: who may ask whom what, and what comes back. Read it like a table of contents. Payloads are in messages.hpp.
//
// Unless a comment says otherwise a message is one-way. Messages marked INTERNAL are sent by an actor to itself. Messages that
// say "listener" carry the handle to which the answer goes, as a message of its own, whenever it is there.

#include <caf/result.hpp>
#include <caf/typed_actor.hpp>

#include "protocol/link_interfaces.hpp"
#include "protocol/type_ids.hpp"

namespace ringmaster::protocol {

// -- small roles that several actors play ----------------------------------------------------------------------------------

/// Hears of this node's lives: a new one (start, return after a lost lease) or none (lease lost: claim, send and decide nothing).
using incarnation_listener = caf::typed_actor<caf::result<void>(incarnation_change)>;

/// Gets the outcome of the claims that it asked for, each exactly once.
using claim_listener = caf::typed_actor<caf::result<void>(claim_reply)>;

/// Gets routed runs back, in one or several parts.
using route_listener = caf::typed_actor<caf::result<void>(routed_batch)>;

/// Hears of open claims of this life that nobody works on any more.
using stray_listener = caf::typed_actor<caf::result<void>(stray_claims)>;

/// Adopts what dead nodes leave.
using orphan_listener = caf::typed_actor<caf::result<void>(peer_fenced)>;

/// Hears of intents (children, retries) that were just made durable.
using intent_listener = caf::typed_actor<caf::result<void>(intent_batch)>;

/// Gets the results of the runs and probes that it sent.
using send_listener = caf::typed_actor<caf::result<void>(send_results)>;

/// Gets the live executors whenever they change.
using registry_listener = caf::typed_actor<caf::result<void>(registry_change)>;

/// Hears how runs end.
using run_end_listener = caf::typed_actor<caf::result<void>(runs_ended)>;

/// Hears whether executors can be reached, as this node found out or as they said themselves.
using executor_listener = caf::typed_actor<caf::result<void>(executor_update)>;

/// Hears which slots the node has, once a life and whenever they change. Who has slot 0 looks after the whole.
using slot_listener = caf::typed_actor<caf::result<void>(slot_change)>;

// -- storage ---------------------------------------------------------------------------------------------------------------

/// Detached, one store connection: runs a closure on the store, replies when it has run. Only actors/store/store_access.hpp and
/// storage_actor speak to it. Errors: internal (the closure threw).
using store_worker = caf::typed_actor<caf::result<void>(store_task)>;

/// The same for console reads and edits, never shared with the firing path.
using query_worker = store_worker;

/// Owns the firing path's workers. Batches naturally: what queued while a worker was busy is the next batch.
using storage_actor = caf::typed_actor<
  /// Claims a batch; the outcome goes to the listener. Repeated until the store has answered; `fenced` ends it.
  caf::result<void>(claim_request),
  /// Trigger results: merged with their neighbours into one transaction, repeated until durable.
  caf::result<void>(trigger_results),
  /// What callbacks brought. Replies once it is on disk, also for results that came second. Errors: too_large (queue full).
  caf::result<callbacks_stored>(callback_batch),
  /// A control transaction: a short one (beat, registry, edits) before all batches, a patient one behind them. Replies when it
  /// has run.
  caf::result<void>(store_task),
  /// Claims that were adopted: they are deleted when so many of their runs are recorded.
  caf::result<void>(claims_opened),
  /// Who hears of new intents.
  caf::result<void>(store_listener),
  /// The life under which results are recorded.
  caf::result<void>(incarnation_change),
  /// Why claims or results do not get into the store now; ready when they do.
  caf::result<node_status>(status_query),
  /// INTERNAL: retry after a failure, delete resolved claims.
  caf::result<void>(tick_atom)>;

/// Counts for /metrics how runs end, by group.
using run_counter = caf::typed_actor<
  /// The names of groups.
  caf::result<void>(registry_change),
  caf::result<void>(runs_ended)>;

// -- the firing path -------------------------------------------------------------------------------------------------------

/// Owns the node's slots: knows what is due soon, claims it, keeps the definitions.
using schedule_actor = caf::typed_actor<
  caf::result<void>(incarnation_change),
  /// The slots of this node; jobs of others are forgotten.
  caf::result<void>(slot_change),
  /// Somebody edited jobs: look now instead of at the next poll.
  caf::result<void>(edit_hint),
  caf::result<void>(routed_batch),
  caf::result<void>(claim_reply),
  caf::result<void>(intent_batch),
  /// Replies when no reserved instant that this node knows of is left to be claimed, or when it has no life.
  caf::result<void>(finish_reserved),
  /// Plans and claims nothing more. Replies when the claims under way are answered.
  caf::result<void>(stop_request),
  /// Replies at once.
  caf::result<reserved_backlog>(reserved_backlog_query),
  /// INTERNAL: claim what is due.
  caf::result<void>(tick_atom)>;

/// Shared mode: takes what is due soon from under XXL's schedule lock and hands it to schedule_actor. Idle in native mode.
using reservation_actor = caf::typed_actor<
  caf::result<void>(incarnation_change),
  /// Reserves nothing more. Replies when the reservation under way has been handed to schedule_actor.
  caf::result<void>(finish_reserved),
  /// Reserves nothing more; what it reserved and nobody claimed is due again for the Java admins. Replies when it is.
  caf::result<void>(stop_request),
  /// INTERNAL: reserve.
  caf::result<void>(tick_atom)>;

/// Native mode on MySQL: the node of slot 0 holds XXL's schedule lock, so that a Java admin started by mistake waits.
using schedule_guard = caf::typed_actor<
  caf::result<void>(incarnation_change),
  /// INTERNAL: take or keep the lock.
  caf::result<void>(tick_atom)>;

/// Holds claimed firings until shortly before their millisecond, then passes all due ones on in one message.
using ring_actor = caf::typed_actor<
  caf::result<void>(firing_batch),
  /// A new life starts with an empty ring.
  caf::result<void>(incarnation_change),
  /// INTERNAL
  caf::result<void>(tick_atom)>;

/// Routes, holds the lanes' windows, sends through executor_links, hands results to storage. Drops none.
using trigger_pool = caf::typed_actor<
  /// Chooses addresses and takes lane slots. The answer goes to the listener at once, what found no slot as deferred; what waits
  /// for probes follows.
  caf::result<void>(route_request),
  /// Slots of runs that were routed but not claimed, and of unknown runs that recovery took.
  caf::result<void>(slot_release),
  /// Claimed runs that are due now.
  caf::result<void>(firing_batch),
  caf::result<void>(send_results),
  caf::result<void>(registry_change),
  /// An executor to which no connection came about shows a sign of life: it is routed to again.
  caf::result<void>(executor_update),
  /// Who hears of sent and of unknown runs. The first message of all.
  caf::result<void>(trigger_partners),
  /// While an executor has a native link, its runs and questions go there.
  caf::result<void>(native_link_update),
  /// Replies the link of an address, made if need be.
  caf::result<link_handle>(link_query),
  /// INTERNAL: probes that are due, unused links.
  caf::result<void>(tick_atom)>;

/// One executor: its family, its time limits, its requests over the injected http_client.
using executor_link = caf::typed_actor<
  /// Sends `/run` for each; the results go to the listener in as many messages as they come in.
  caf::result<void>(send_batch),
  /// `beat` or `idleBeat`. Replies what came back; never an error.
  caf::result<probe_reply>(probe_request),
  /// `/log`. Replies what came back; never an error.
  caf::result<log_reply>(log_request),
  /// `/kill`. Replies what came back; never an error.
  caf::result<probe_reply>(kill_request),
  /// App names of groups, and whether this executor wants one.
  caf::result<void>(registry_change),
  /// INTERNAL: answers wait in the inbox.
  caf::result<void>(drain_inbox)>;

/// An executor without HTTP while it has no native link: runs wait for one for a while.
using absent_link = executor_link::extend<
  /// The executor has dialled in.
  caf::result<void>(native_link_update),
  /// INTERNAL: whoever waited for too long.
  caf::result<void>(tick_atom)>;

/// One executor that dialled in: what executor_link is over HTTP, over its native link. Once that is cut it passes on what comes
/// to whatever link its address has then; it never ends by itself, for runs may be on their way to it.
using native_link = executor_link::extend<
  caf::result<void>(link_verdicts),
  caf::result<void>(link_answer),
  caf::result<void>(link_reports),
  caf::result<void>(link_goodbye),
  /// Cuts the link.
  caf::result<void>(stop_request),
  /// INTERNAL: runs that may leave, deadlines.
  caf::result<void>(tick_atom)>;

/// Executors that dial in: lets them in by their tokens, keeps their registrations alive as long as their links are.
using native_links = caf::typed_actor<
  /// From the door.
  caf::result<void>(link_hello),
  caf::result<void>(link_proof),
  caf::result<void>(registry_change),
  caf::result<void>(incarnation_change),
  caf::result<void>(native_link_lost),
  /// INTERNAL: beats, and whether their tokens still count.
  caf::result<void>(tick_atom)>;

/// Runs of which nobody knows whether they were delivered: adopts those of former lives, asks executors, decides.
using recovery_actor = caf::typed_actor<
  caf::result<void>(unknown_batch),
  /// Open claims of this life that nobody works on any more.
  caf::result<void>(stray_claims),
  caf::result<void>(incarnation_change),
  /// Looks for orphans at once.
  caf::result<void>(peer_fenced),
  caf::result<void>(send_results),
  /// INTERNAL
  caf::result<void>(tick_atom)>;

// -- around it -------------------------------------------------------------------------------------------------------------

/// Live executors in memory; writes changes at once and renewals in batches.
using registry_monitor = caf::typed_actor<
  /// Replies at once.
  caf::result<void>(registry_beat),
  /// Replies at once; routing forgets the address at once.
  caf::result<void>(registry_removal),
  /// Replies whether a group's token may register the address; never an error.
  caf::result<claim_verdict>(address_claim),
  /// Groups or registrations changed in the store: read now.
  caf::result<void>(registry_hint),
  /// One more listener; it hears of the present view at once.
  caf::result<void>(registry_subscription),
  /// No connection to it came about: listeners hear of that, and of its next sign of life.
  caf::result<void>(executor_update),
  /// One more listener to such updates.
  caf::result<void>(update_subscription),
  /// INTERNAL: flush, sweep, re-read.
  caf::result<void>(tick_atom)>;

/// Results that never came: asks executors that died or were silent for too long, and gives their runs up. Works on the node of
/// slot 0 alone.
using lost_monitor = caf::typed_actor<
  caf::result<void>(incarnation_change),
  caf::result<void>(slot_change),
  caf::result<void>(registry_change),
  caf::result<void>(executor_update),
  /// INTERNAL
  caf::result<void>(tick_atom)>;

/// Day counts and the age limit of the log. Works on the node of slot 0 alone.
using report_actor = caf::typed_actor<
  caf::result<void>(incarnation_change),
  caf::result<void>(slot_change),
  /// INTERNAL
  caf::result<void>(tick_atom)>;

/// Clears up what nobody holds: runs without a claim become failures, intents that were taken long ago go. Works on the node of
/// slot 0 alone.
using row_sweeper = caf::typed_actor<
  caf::result<void>(incarnation_change),
  caf::result<void>(slot_change),
  /// INTERNAL
  caf::result<void>(tick_atom)>;

/// Fetches logs of finished runs that are to be kept, and removes what is too much. Works on the node of slot 0 alone.
using log_keeper = caf::typed_actor<
  caf::result<void>(incarnation_change),
  caf::result<void>(slot_change),
  /// INTERNAL
  caf::result<void>(tick_atom)>;

/// Callbacks: finds the job of a run in memory, makes results durable, passes children and retries on.
using completion_actor = caf::typed_actor<
  /// Runs on their way to executors, remembered until their result.
  caf::result<void>(sent_runs),
  /// Before the executor is asked: its success may come before its answer.
  caf::result<void>(ending_run),
  /// Replies when durable. Errors: unavailable, too_large.
  caf::result<callbacks_stored>(callback_batch),
  caf::result<void>(intent_batch)>;

/// Failed runs that nobody decided about: has the store decide their retry and alarm, passes the retries on.
using fail_monitor = caf::typed_actor<
  caf::result<void>(incarnation_change),
  /// INTERNAL: sweep.
  caf::result<void>(tick_atom)>;

/// Takes alarms, puts equal ones together, keeps to the limits of the channels, sends through the injected notifier.
using alarm_actor = caf::typed_actor<
  caf::result<void>(incarnation_change),
  /// From the notifier.
  caf::result<void>(notice_done),
  /// INTERNAL: take, send what waits, end windows.
  caf::result<void>(tick_atom)>;

/// This node's life: enters, renews its beat, knows its own deadline, fences dead peers, spreads the slots.
using node_actor = caf::typed_actor<
  /// Replies what the node knows of itself.
  caf::result<node_status>(status_query),
  /// Replies whom it saw beat, itself included; at once.
  caf::result<node_list>(nodes_query),
  /// A graceful stop: no claim is left, the row says `down`. Replies when it does.
  caf::result<void>(stop_request),
  /// INTERNAL
  caf::result<void>(tick_atom)>;

/// Jobs as people and files edit them. An edit is answered when no run of the old definitions is on its way any more, or after a
/// second with their number; who plans and routes is woken. Errors of all: unavailable; forbidden where `by` has not the right.
using job_admin = caf::typed_actor<
  /// Applies what a source declares, all or nothing. Replies what changed (or would). Errors: conflict, invalid_argument.
  caf::result<core::deploy_report>(apply_declared),
  /// The same for files that an administrator sends. Errors: invalid_argument has a line for each mistake in them.
  caf::result<files_applied>(apply_files),
  /// What there is, as a declared file; of administrators. Errors: not_found, too_large.
  caf::result<exported_file>(export_query),
  /// Errors: not_found, invalid_argument with XXL's text.
  caf::result<core::job_edit>(start_job),
  /// Errors: not_found.
  caf::result<core::job_edit>(stop_job),
  /// A run by hand; this node claims it at once. Replies the intent. Errors: not_found, invalid_argument.
  caf::result<core::intent>(trigger_job),
  /// Removes the job and then, in the background, its log. Errors: not_found, conflict.
  caf::result<core::job_edit>(remove_job),
  /// A stopped job. Errors: invalid_argument with XXL's refusal.
  caf::result<added_job>(add_job),
  /// Errors: not_found, conflict (a later edit, a declared job), invalid_argument with XXL's refusal.
  caf::result<core::job_edit>(update_job),
  /// A new source of a script, kept in its history. Errors: as update_job.
  caf::result<core::job_edit>(save_source),
  /// Errors: not_found.
  caf::result<job_found>(job_query),
  caf::result<job_page>(job_page_query),
  /// Sources that a job had, newest first. Errors: not_found.
  caf::result<source_list>(source_query),
  /// What fires in a span, of the jobs that `by` may see. Errors: not_found, invalid_argument (too many jobs), unavailable
  /// (other forecasts are under way).
  caf::result<forecast_found>(forecast_query),
  /// What became of a run by hand. Errors: not_found.
  caf::result<intent_found>(intent_query)>;

/// Executor groups as administrators edit them; registry_monitor is woken. Errors of all: unavailable, forbidden.
using group_admin = caf::typed_actor<
  /// Errors: not_found, conflict, invalid_argument with XXL's refusal.
  caf::result<saved_group>(save_group),
  /// Errors: conflict.
  caf::result<void>(remove_group),
  /// One row. Errors: not_found.
  caf::result<group_page>(group_query),
  caf::result<group_page>(group_page_query),
  caf::result<group_page>(visible_groups_query)>;

/// Runs and their logs as people look at them. Errors of all: unavailable, forbidden.
using run_admin = caf::typed_actor<
  caf::result<run_page>(run_page_query),
  /// Errors: not_found.
  caf::result<run_found>(run_query),
  /// Asks the executor of the row, and no other. Errors: not_found, invalid_argument (no address, not triggered), timeout.
  caf::result<run_log>(run_log_query),
  /// Errors: not_found, invalid_argument (not triggered, or the executor's text).
  caf::result<run_killed>(kill_run),
  /// Replies when all are gone, or after 5 s, clearing on; who asks again joins. Errors: invalid_argument.
  caf::result<runs_cleared>(clear_runs),
  caf::result<day_reports>(report_query)>;

/// Logs as they are written: holds readers back until there is more, asking run_admin once a second for each run. Errors: as
/// there, and never for want of room: who finds none is answered at once with what there is.
using log_follower = caf::typed_actor<
  caf::result<run_log>(follow_log),
  /// The node stops: whoever waits is answered with what there is, and nobody is held back any more.
  caf::result<void>(stop_request),
  /// INTERNAL: polls that are due, waits that are over.
  caf::result<void>(tick_atom)>;

/// Detached, no state: makes and checks stored forms of passwords, which takes some hundredths of a second. Errors: unavailable
/// (no memory, no random numbers).
using password_keeper = caf::typed_actor<
  caf::result<password_verdict>(check_password),
  caf::result<hashed_password>(hash_password)>;

/// Users, sessions and the record of changes. Keeps found sessions for a second. Errors of all: unavailable, forbidden.
using user_admin = caf::typed_actor<
  /// Errors: invalid_argument (sign_in_empty, sign_in_wrong), too_large (too many failures, or sign-ins at once: later; the
  /// subject says after how many seconds).
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
  /// Ends all of his sessions. Errors: invalid_argument (old_password_empty, old_password_wrong, password_empty, name_length, or
  /// one that everybody knows), conflict, too_large as sign_in.
  caf::result<void>(change_password),
  caf::result<audit_list>(audit_query),
  /// Errors: not_found; too_large after too many failures (the subject says for how many seconds).
  caf::result<identified>(identify_key),
  /// Errors: those of api_key_store::add.
  caf::result<added_key>(add_key),
  /// Errors: forbidden, not_found.
  caf::result<void>(remove_key),
  /// Errors: forbidden.
  caf::result<key_list>(key_query)>;

/// Dispatches requests to handlers; every request is answered, or left unanswered on purpose.
using gateway_actor = caf::typed_actor<
  caf::result<void>(http_exchange),
  /// Which app names have a group.
  caf::result<void>(registry_change)>;

/// Spawns all of the above in order, watches them, stops them in reverse.
using supervisor = caf::typed_actor<
  /// Replies whether the node serves.
  caf::result<node_status>(status_query),
  /// Replies the nodes of the cluster as this one sees them. Errors: those of a node_actor that does not answer.
  caf::result<node_list>(nodes_query),
  /// Replies the actors that the outside speaks to.
  caf::result<node_handles>(handles_query),
  /// Drains and stops. In shared mode it first fires what is reserved; a second request ends that. Replies when every claimed run
  /// is recorded and the node's row says `down`, or the drain time is over.
  caf::result<void>(stop_request),
  /// INTERNAL: the drain's progress.
  caf::result<void>(tick_atom)>;

} // namespace ringmaster::protocol
