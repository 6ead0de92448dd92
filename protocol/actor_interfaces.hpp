#pragma once

// Catalogue of the actors of a node: the messages that each accepts, and the replies. Read it like a table of contents. Payloads
// are in messages.hpp.
//
// Unless a comment says otherwise a message is one-way. Messages marked INTERNAL are sent by an actor to itself. Messages that
// mention a listener carry a handle; the answer goes to it as a separate message, once it is there.

#include <caf/result.hpp>
#include <caf/typed_actor.hpp>

#include "protocol/elastic_type_ids.hpp"
#include "protocol/link_interfaces.hpp"
#include "protocol/type_ids.hpp"
#include "protocol/user_interfaces.hpp"

namespace ringmaster::protocol {

// -- small roles that several actors play ----------------------------------------------------------------------------------

/// Receives this node's incarnations: a new one (start, return after a lost lease) or none (lease lost: claim, send and decide
/// nothing).
using incarnation_listener = caf::typed_actor<caf::result<void>(incarnation_change)>;

/// Receives the outcome of the claims that it requested, each exactly once.
using claim_listener = caf::typed_actor<caf::result<void>(claim_reply)>;

/// Receives routed runs, in one or several parts.
using route_listener = caf::typed_actor<caf::result<void>(routed_batch)>;

/// Receives open claims of this incarnation that no actor works on any more.
using stray_listener = caf::typed_actor<caf::result<void>(stray_claims)>;

/// Adopts the claims of dead nodes.
using orphan_listener = caf::typed_actor<caf::result<void>(peer_fenced)>;

/// Receives intents (children, retries) that have just been made durable.
using intent_listener = caf::typed_actor<caf::result<void>(intent_batch)>;

/// Receives the results of the runs and probes that it sent.
using send_listener = caf::typed_actor<caf::result<void>(send_results)>;

/// Receives the live executors whenever they change.
using registry_listener = caf::typed_actor<caf::result<void>(registry_change)>;

/// Receives the ends of runs.
using run_end_listener = caf::typed_actor<caf::result<void>(runs_ended)>;

/// Receives the reachability of executors, found by this node or reported by the executors.
using executor_listener = caf::typed_actor<caf::result<void>(executor_update)>;

/// Receives the slots of the node, once per incarnation and whenever they change. The node with slot 0 is the leader.
using slot_listener = caf::typed_actor<caf::result<void>(slot_change)>;

/// Receives what its periodic polls would find.
using pulse_listener = caf::typed_actor<caf::result<void>(pending_work_update)>;

// -- storage ---------------------------------------------------------------------------------------------------------------

/// Runs a closure on the store and replies when it has run. Detached, with one store connection. Only
/// actors/store/store_access.hpp and storage_actor send to it. Errors: internal (the closure threw).
using store_worker = caf::typed_actor<caf::result<void>(store_task)>;

/// A store_worker for reads and edits of the console, never shared with the firing path.
using query_worker = store_worker;

/// Owns the firing path's workers. Requests that arrive while a worker is busy form its next batch.
using storage_actor = caf::typed_actor<
  /// Claims a batch; the outcome goes to the listener. Repeated until the store has answered; `fenced` ends it.
  caf::result<void>(claim_request),
  /// Stores trigger results: merged with other waiting results into one transaction, repeated until durable.
  caf::result<void>(trigger_results),
  /// Stores results of callbacks. Replies once they are durable, also for results that came second and changed nothing.
  /// Errors: too_large (queue full).
  caf::result<callbacks_stored>(callback_batch),
  /// Runs a control transaction: a short one (heartbeat, registry, edits) before all batches, a patient one after them. Replies
  /// when it has run.
  caf::result<void>(store_task),
  /// Counts the open runs of adopted claims: a claim is deleted when all of its runs are recorded.
  caf::result<void>(claims_opened),
  /// Sets the listener for new intents.
  caf::result<void>(store_listener),
  /// Sets the incarnation under which results are recorded.
  caf::result<void>(incarnation_change),
  /// Replies the reason why the store takes no claims or results now; ready when it does.
  caf::result<node_status>(status_query),
  caf::result<void>(pending_work_update),
  /// INTERNAL: retry after a failure, delete resolved claims.
  caf::result<void>(tick_atom)>;

/// Counts the ends of runs by group for /metrics.
using run_counter = caf::typed_actor<
  /// Carries the names of the groups.
  caf::result<void>(registry_change),
  caf::result<void>(runs_ended)>;

// -- the firing path -------------------------------------------------------------------------------------------------------

/// Owns the node's slots: plans the jobs that are due soon, claims them, keeps the definitions.
using schedule_actor = caf::typed_actor<
  caf::result<void>(incarnation_change),
  /// Sets the slots of this node; jobs of other slots are forgotten.
  caf::result<void>(slot_change),
  /// Reads the jobs of these slots and plans none until the next `slot_change`. Replies when they are read.
  caf::result<void>(prepare_slots),
  /// Reads jobs at once after an edit instead of at the next poll.
  caf::result<void>(edit_hint),
  caf::result<void>(pending_work_update),
  caf::result<void>(routed_batch),
  caf::result<void>(claim_reply),
  caf::result<void>(intent_batch),
  /// Replies when no reserved instant that this node knows is left to be claimed, or when it has no incarnation.
  caf::result<void>(finish_reserved),
  /// Stops planning and claiming. Replies when the claims under way are answered, and the displayed times of the schedule are
  /// exact if this node has slots.
  caf::result<void>(stop_request),
  /// Replies when the displayed times are exact; after a stop of the planner.
  caf::result<void>(finish_mirror),
  /// Replies at once.
  caf::result<reserved_backlog>(reserved_backlog_query),
  /// INTERNAL: claim what is due.
  caf::result<void>(tick_atom)>;

/// Takes jobs that are due soon under XXL's schedule lock and hands them to schedule_actor (shared mode). Idle in native mode.
using reservation_actor = caf::typed_actor<
  caf::result<void>(incarnation_change),
  /// Stops reserving. Replies when the reservation under way has been handed to schedule_actor.
  caf::result<void>(finish_reserved),
  /// Stops reserving, and returns unclaimed reservations to the Java admins, where they are due again. Replies when they are.
  caf::result<void>(stop_request),
  /// INTERNAL: reserve.
  caf::result<void>(tick_atom)>;

/// Holds XXL's schedule lock on the leader (native mode on MySQL), so that a Java admin started by mistake waits.
using schedule_guard = caf::typed_actor<
  caf::result<void>(incarnation_change),
  caf::result<void>(slot_change),
  /// INTERNAL: take or keep the lock.
  caf::result<void>(tick_atom)>;

/// Holds claimed firings until shortly before their millisecond, then passes all due ones on in one message.
using ring_actor = caf::typed_actor<
  caf::result<void>(firing_batch),
  /// Empties the ring for a new incarnation.
  caf::result<void>(incarnation_change),
  /// INTERNAL
  caf::result<void>(tick_atom)>;

/// Routes runs, holds the lanes' windows, sends through executor_links, hands results to storage. Drops no run.
using trigger_pool = caf::typed_actor<
  /// Chooses addresses and takes lane slots. The answer goes to the listener at once, with runs without a slot as deferred; runs
  /// that wait for probes follow.
  caf::result<void>(route_request),
  /// Frees the slots of runs that were routed but not claimed, and of unknown runs that recovery took.
  caf::result<void>(slot_release),
  /// Sends claimed runs that are due now.
  caf::result<void>(firing_batch),
  caf::result<void>(send_results),
  caf::result<void>(registry_change),
  /// Routes again to an executor that could not be reached and now gives a heartbeat.
  caf::result<void>(executor_update),
  /// Sets the actors that receive sent and unknown runs. The first message of all.
  caf::result<void>(trigger_partners),
  /// Directs runs and questions to an executor's native link while it has one.
  caf::result<void>(native_link_update),
  /// Sends the runs over another link of their address. Results go to the listener of the batch.
  caf::result<void>(returned_runs),
  /// Replies the link of an address, made if necessary.
  caf::result<link_handle>(link_query),
  /// INTERNAL: probes that are due, unused links.
  caf::result<void>(tick_atom)>;

/// Handles one executor: its XXL family, its time limits, its requests over the injected http_client.
using executor_link = caf::typed_actor<
  /// Sends `/run` for each run; the results go to the listener in as many messages as they arrive in.
  caf::result<void>(send_batch),
  /// Sends `beat` or `idleBeat`. Replies the outcome; never an error.
  caf::result<probe_reply>(probe_request),
  /// Sends `/log`. Replies the outcome; never an error.
  caf::result<log_reply>(log_request),
  /// Sends `/kill`. Replies the outcome; never an error.
  caf::result<probe_reply>(kill_request),
  /// Carries the app names of groups, and whether this executor requires one in a header.
  caf::result<void>(registry_change),
  /// INTERNAL: answers wait in the inbox.
  caf::result<void>(drain_inbox)>;

/// Handles an executor without HTTP while it has no native link: runs wait for one for a while, and then return to the pool.
using absent_link = executor_link::extend<
  /// Reports that the executor has connected, or that its link has ended.
  caf::result<void>(native_link_update),
  /// INTERNAL: ends waits that took too long.
  caf::result<void>(tick_atom)>;

/// Handles one connected executor over its native link, as executor_link does over HTTP. Once the link is cut it returns runs to
/// the pool and passes questions on. It never ends by itself, because runs may be on their way to it.
using native_link = executor_link::extend<
  caf::result<void>(link_verdicts),
  caf::result<void>(link_answer),
  caf::result<void>(link_reports),
  caf::result<void>(link_goodbye),
  // Elastic jobs: passed on to elastic_hosts.
  caf::result<void>(elastic_hello),
  caf::result<void>(elastic_heartbeat),
  caf::result<void>(elastic_events),
  caf::result<void>(elastic_inventory),
  caf::result<void>(link_subscription),
  /// As in `host_link`.
  caf::result<void>(host_message),
  /// Cuts the link.
  caf::result<void>(stop_request),
  /// INTERNAL: runs that may leave, deadlines.
  caf::result<void>(tick_atom)>;

/// Admits executors that connect by their tokens, and keeps their registrations alive as long as their links.
using native_links = caf::typed_actor<
  /// Arrive from the door.
  caf::result<void>(link_hello),
  caf::result<void>(link_proof),
  caf::result<void>(registry_change),
  caf::result<void>(incarnation_change),
  caf::result<void>(native_link_lost),
  /// Sets the actor that receives messages of elastic jobs, for all links.
  caf::result<void>(link_subscription),
  /// INTERNAL: heartbeats, and checks whether tokens are still valid.
  caf::result<void>(tick_atom)>;

/// Resolves unknown runs: adopts those of earlier incarnations, asks executors, decides.
using recovery_actor = caf::typed_actor<
  caf::result<void>(unknown_batch),
  /// Takes open claims of this incarnation that no actor works on any more.
  caf::result<void>(stray_claims),
  caf::result<void>(incarnation_change),
  /// Looks for orphaned claims at once.
  caf::result<void>(peer_fenced),
  caf::result<void>(pending_work_update),
  caf::result<void>(send_results),
  /// INTERNAL
  caf::result<void>(tick_atom)>;

// -- around it -------------------------------------------------------------------------------------------------------------

/// Keeps the live executors in memory; writes changes at once and renewals in batches.
using registry_monitor = caf::typed_actor<
  /// Replies at once.
  caf::result<void>(registry_beat),
  /// Replies at once; routing forgets the address at once.
  caf::result<void>(registry_removal),
  /// Replies whether a group's token may register the address; never an error.
  caf::result<claim_verdict>(address_claim),
  /// Reads groups and registrations now, because they changed in the store.
  caf::result<void>(registry_hint),
  /// Adds a listener, which gets the present view at once.
  caf::result<void>(registry_subscription),
  /// Tells listeners that an executor could not be reached, and of its next heartbeat.
  caf::result<void>(executor_update),
  /// Adds a listener for such updates.
  caf::result<void>(update_subscription),
  /// Replies from memory. Errors: forbidden for a group that the caller may not see; unavailable before the first read.
  caf::result<executor_list>(executors_query),
  /// INTERNAL: flush, sweep, re-read.
  caf::result<void>(tick_atom)>;

/// Finds results that never came: asks about runs of executors that died or were silent for too long, and gives the runs up.
/// Works on the leader only.
using lost_monitor = caf::typed_actor<
  caf::result<void>(incarnation_change),
  caf::result<void>(slot_change),
  caf::result<void>(registry_change),
  caf::result<void>(executor_update),
  /// INTERNAL
  caf::result<void>(tick_atom)>;

/// Counts runs by day and applies the age limit of the log. Works on the leader only.
using report_actor = caf::typed_actor<
  caf::result<void>(incarnation_change),
  caf::result<void>(slot_change),
  /// INTERNAL
  caf::result<void>(tick_atom)>;

/// Cleans up abandoned rows: runs without a claim become failures, intents that were taken long ago are deleted. Works on the
/// leader only.
using row_sweeper = caf::typed_actor<
  caf::result<void>(incarnation_change),
  caf::result<void>(slot_change),
  /// INTERNAL
  caf::result<void>(tick_atom)>;

/// Fetches logs of finished runs that are to be kept, and removes those over the limit. Works on the leader only.
using log_keeper = caf::typed_actor<
  caf::result<void>(incarnation_change),
  caf::result<void>(slot_change),
  /// INTERNAL
  caf::result<void>(tick_atom)>;

/// Handles callbacks: finds the job of a run in memory, makes results durable.
using completion_actor = caf::typed_actor<
  /// Remembers runs on their way to executors until their result.
  caf::result<void>(sent_runs),
  /// Announces a kill before the executor is asked: the run's success may come before the executor's answer.
  caf::result<void>(ending_run),
  /// Replies when the results are durable. Errors: unavailable, too_large.
  caf::result<callbacks_stored>(callback_batch)>;

/// Finds failed runs without a decision: has the store decide their retry and alarm, passes the retries on.
using fail_monitor = caf::typed_actor<
  caf::result<void>(incarnation_change),
  /// INTERNAL: sweep.
  caf::result<void>(tick_atom)>;

/// Takes alarms, merges equal ones, keeps the limits of the channels, sends through the injected notifier.
using alarm_actor = caf::typed_actor<
  caf::result<void>(incarnation_change),
  /// Arrives from the notifier.
  caf::result<void>(notice_done),
  /// Replies the latest messages of this node, from memory; administrators only.
  caf::result<sent_messages>(sent_messages_query),
  caf::result<void>(pending_work_update),
  /// INTERNAL: take, send what waits, end windows.
  caf::result<void>(tick_atom)>;

/// Asks the store in each period what the polls of other actors would find, and notifies them.
using store_pulse = caf::typed_actor<
  caf::result<void>(incarnation_change),
  caf::result<void>(tick_atom)>; // INTERNAL

/// Keeps this node's incarnation: enters the cluster, renews its heartbeat, knows its own deadline, fences dead peers, spreads
/// the slots.
using node_actor = caf::typed_actor<
  /// Replies the state that the node knows of itself.
  caf::result<node_status>(status_query),
  /// Replies the nodes that it saw alive, itself included; at once.
  caf::result<node_list>(nodes_query),
  /// Hands this node's slots over if others can take them: its row says so, and it is about to stop. Replies true when the others
  /// have looked, false if there are none or the database does not answer. Repeated: replies whether there still are others.
  caf::result<bool>(hand_over),
  /// Stops gracefully: no claim is left, the row says `down`. Replies when it does.
  caf::result<void>(stop_request),
  /// INTERNAL
  caf::result<void>(tick_atom)>;

/// Dispatches requests to handlers; every request is answered, or left unanswered on purpose.
using gateway_actor = caf::typed_actor<
  caf::result<void>(http_exchange),
  /// Carries the app names that have a group.
  caf::result<void>(registry_change)>;

/// Spawns all of the above in order, watches them, stops them in reverse.
using supervisor = caf::typed_actor<
  /// Replies whether the node serves.
  caf::result<node_status>(status_query),
  /// Replies the nodes of the cluster as this node sees them. Errors: those of a node_actor that does not answer.
  caf::result<node_list>(nodes_query),
  /// Replies the actors that other parts of the program send to.
  caf::result<node_handles>(handles_query),
  /// Drains and stops. In shared mode it first fires the reserved instants; a second request ends that. Replies when every
  /// claimed run is recorded and the node's row says `down`, or the drain time has ended.
  caf::result<void>(stop_request),
  /// INTERNAL: the drain's progress.
  caf::result<void>(tick_atom)>;

} // namespace ringmaster::protocol
