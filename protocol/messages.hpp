#pragma once

// Payloads of the catalogue. All stay inside the process.

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/access/principal.hpp"
#include "core/cluster/cluster_mode.hpp"
#include "core/cluster/node.hpp"
#include "core/cluster/pending_work.hpp"
#include "core/cluster/slot_map.hpp"
#include "core/editing/declared.hpp"
#include "core/editing/manual_edits.hpp"
#include "core/job/group.hpp"
#include "core/result.hpp"
#include "core/routing/lanes.hpp"
#include "core/run/run.hpp"
#include "core/schedule/schedule.hpp"
#include "protocol/actor_interfaces.hpp"
#include "protocol/declared_messages.hpp"
#include "protocol/doctor_messages.hpp"
#include "protocol/http.hpp"
#include "protocol/log_messages.hpp"
#include "protocol/store_messages.hpp"

namespace ringmaster::protocol {

struct tick_atom {};

// -- storage ---------------------------------------------------------------------------------------------------------------

struct claim_request {
  core::claim_batch batch;
  claim_listener listener;
};

struct claim_reply {
  std::int64_t sequence = 0;
  core::result<core::claim_outcome> outcome;
};

struct trigger_results {
  std::vector<core::trigger_result> items;
};

struct callback_batch {
  std::vector<core::callback> items;
};

/// The batch's results are durable, winners and losers alike.
struct callbacks_stored {};

/// Adopted claims, with the number of unresolved runs of each.
struct claims_opened {
  std::vector<std::pair<std::int64_t, std::uint32_t>> claims;
};

struct intent_batch {
  std::vector<core::intent> items;
};

/// An open claim that its own incarnation has lost sight of.
struct stray_claim {
  std::int64_t sequence = 0;
  /// Its runs were never in memory: the claim was stored although the store reported a failure.
  bool never_sent = false;
};

struct stray_claims {
  std::vector<stray_claim> items;
};

// -- incarnations and slots -----------------------------------------------------------------------------------------------

struct incarnation_change {
  /// Without a value: the lease is lost.
  std::optional<core::node_incarnation> life;
  /// Owner of the schedule as long as this incarnation lasts.
  core::cluster_mode mode = core::cluster_mode::native;
};

struct slot_change {
  core::slot_set slots;
};

/// Reads the jobs of slots that this node will get, without planning them: a `slot_change` follows.
struct prepare_slots {
  core::slot_set slots;
};

/// Lets other nodes take this node's slots.
struct hand_over {};

/// Writes the present times of all jobs to XXL's columns.
struct finish_mirror {};

/// This node has ended the incarnation of a dead node, whose claims are orphaned now.
struct peer_fenced {};

struct edit_hint {};

/// Carries what the polls of this node would find in the store. Sent once in each `period` while the store answers.
struct pending_work_update {
  core::pending_work found;
  std::chrono::milliseconds period{500};
};

/// Asks how far claims lag behind the instants that were reserved alongside Java admins.
struct reserved_backlog_query {};

struct reserved_backlog {
  /// Lateness of the oldest reserved instant that waits for its claim, not for its executor.
  core::milliseconds late{0};
};

// -- the firing path -------------------------------------------------------------------------------------------------------

struct firing_batch {
  std::vector<core::claimed_run> runs;
};

/// One job's request to run: a plan of its schedule, or an intent (then the plan is empty).
struct route_candidate {
  core::job_ptr spec;
  std::optional<core::job_plan> plan;
  std::optional<core::intent> intent;
  /// Value of the caller, returned unchanged.
  std::int64_t generation = 0;
};

struct route_request {
  std::vector<route_candidate> candidates;
  route_listener listener;
};

struct routed_job {
  route_candidate candidate;
  std::vector<core::planned_run> runs;
};

struct routed_batch {
  std::vector<routed_job> routed;
  /// No lane slot now: still due.
  std::vector<route_candidate> deferred;
  /// Also still due, but another try at once is of no use: their executor does not answer, or too many candidates wait for the
  /// probes of their executors.
  std::vector<route_candidate> held;
  /// Number of candidates of a request that this batch accounts for. Each request has its batch at once; candidates that wait for
  /// probes are accounted for in it and come in a later batch.
  std::size_t accounted = 0;
};

/// Slots to give back.
struct slot_release {
  core::held_slots slots;
  friend bool operator==(const slot_release&, const slot_release&) = default;
};

struct sent_run {
  core::log_id run{};
  core::job_ptr spec;
  core::time_point fire_at{};
};

struct sent_runs {
  std::vector<sent_run> items;
};

/// A run that an executor is about to be asked to end.
struct ending_run {
  core::log_id run{};
  /// Its result if the executor calls it a success. Without a value: the executor does not end it.
  std::optional<std::string> message;
};

/// Actors that the pool sends runs on their way and unknown runs to, and that it asks to look for executors.
struct trigger_partners {
  completion_actor completion;
  recovery_actor recovery;
  /// Looks for executors when there are none, and is notified of executors that cannot be reached.
  registry_monitor registry{};
};

/// A run whose bytes were written without a usable answer, and the text that came instead, for operators.
struct unanswered_run {
  core::claimed_run run;
  std::string error;
  /// The executor answered "repeat" to the first sending.
  bool repeated = false;
};

/// Runs of this node whose fate is unknown. They hold their slots until recovery releases them.
struct unknown_batch {
  std::vector<unanswered_run> runs;
};

// -- executors -------------------------------------------------------------------------------------------------------------

struct link_query {
  std::string address;
  /// A link that cannot serve: another one is wanted. Null: any link.
  executor_link except{};
};

struct link_handle {
  executor_link link;
  /// The address registered itself, or this is a native link: one process answers there. An address that a user entered may stand
  /// for several.
  bool is_one_process = false;
};

/// An executor connected, or its link takes no more runs.
struct native_link_update {
  std::string address;
  executor_link link;
  bool up = false;
};

/// Sent to the actor that made the link.
struct native_link_lost {
  std::string address;
  std::uint64_t number = 0;
  /// The executor announced that it stops; else its link was cut.
  bool goodbye = false;
};

struct send_batch {
  std::vector<core::claimed_run> runs;
  send_listener listener;
};

/// Runs of which a link has written nothing, because it has ended or cannot carry them.
struct returned_runs {
  std::string address;
  send_batch batch;
  /// The link that returns them.
  executor_link by;
};

/// Outcome of one `/run`.
enum class send_state : std::uint8_t {
  /// A complete answer, with `code` and `message`.
  answered,
  /// No byte left this node.
  not_sent,
  /// The lease had ended: the run stays claimed and is adopted later.
  gate_closed,
  unknown,
};

struct send_result {
  core::claimed_run run;
  send_state state = send_state::not_sent;
  /// 200 accepted; any other code except 0 refused.
  std::int32_t code = 0;
  /// The executor's text, or the reason why nothing was sent.
  std::string message;
  std::chrono::microseconds elapsed{0};
  /// Time at which its first byte was written; the epoch when none was.
  std::chrono::steady_clock::time_point sent_at{};
  /// Not sent because no connection was made.
  bool unreachable = false;
  /// Code 200 stands for "repeat": the executor already has a run with this id. Nothing repeats `/run`, so after a first sending
  /// that is unknown instead.
  bool repeated = false;
};

struct send_results {
  std::vector<send_result> items;
};

struct probe_request {
  /// `idle_beat` asks about this job; `beat` ignores it.
  core::job_id job{};
  bool idle_beat = false;
  /// Group on whose behalf the executor is asked; 0: any group that it belongs to.
  core::group_id group{};
  /// With `idle_beat`: the request is about this run. Over a native link the executor answers that itself; HTTP has no such
  /// question.
  core::log_id run{};
  core::time_point fire_at{};
};

struct probe_reply {
  /// 200: alive (idle). 0: no complete answer.
  std::int32_t code = 0;
  std::string message;
  /// The answer is about the run: 200 the executor has accepted it, 404 it never came; else that is not known now.
  bool of_run = false;
};

/// Ends a run. Executors of XXL-JOB ignore the run's id and end all runs of the job. Answered as a probe.
struct kill_request {
  core::job_id job{};
  core::group_id group{};
  core::log_id run{};
};

struct drain_inbox {};

// -- registry --------------------------------------------------------------------------------------------------------------

struct registry_beat {
  std::string registry_group;
  std::string app_name;
  std::string address;
  /// The request carried an app name header: this executor wants one, too.
  bool app_header = false;
  /// Token that the executor showed.
  core::token_kind token = core::token_kind::common;
  /// The heartbeat is that of a native link.
  bool link = false;
};

struct registry_removal {
  std::string registry_group;
  std::string app_name;
  std::string address;
};

/// Asks whether a group's token may register this address.
struct address_claim {
  std::string app_name;
  std::string address;
};

struct claim_verdict {
  /// Text for operators; empty: it may.
  std::string refusal;
};

struct registry_hint {};

/// One registration: app name and address.
using app_address = std::pair<std::string, std::string>;

/// Executors that can be called, at one moment. Immutable, shared.
struct registry_view {
  std::unordered_map<std::int32_t, core::group> groups;
  /// Registrations whose last heartbeat carried the app name header.
  std::set<app_address> with_app_header;
  /// Registrations of groups with a token whose executors showed another one last: the common token or the group's previous one.
  /// A registration that is missing here is known to have only its group's token.
  std::map<app_address, core::token_kind> tokens_shown;
  /// `protocol::address_key` of addresses that were registered only with a group's token: never sent the common one.
  std::unordered_set<std::string> without_common_token;
  /// Addresses that executors registered, of any app.
  std::unordered_set<std::string> registered;
};

struct registry_change {
  std::shared_ptr<const registry_view> view;
};

struct registry_subscription {
  registry_listener listener;
};

// -- alarms ----------------------------------------------------------------------------------------------------------------

/// Outcome of a message to a channel.
struct notice_done {
  std::uint64_t delivery = 0;
  core::result<void> outcome;
};

/// Current reachability of an executor.
struct executor_update {
  std::string address;
  bool reachable = false;
};

struct update_subscription {
  executor_listener listener;
};

// -- administration --------------------------------------------------------------------------------------------------------

struct apply_declared {
  core::declared_set declared;
  bool dry_run = false;
  bool prune = false;
};

/// Files as sent to /api/v1: a body that a store worker reads, because it may be long.
struct apply_files {
  std::string body;
  core::principal by;
};

struct files_applied {
  core::deploy_report report;
  bool dry_run = false;
};

/// Asks for a declared file of all jobs, or of a group.
struct export_query {
  std::optional<core::group_id> group;
  core::principal by;
  /// Only objects that this source declared.
  std::optional<std::string> source = {};
};

struct exported_file {
  std::string text;
};

struct start_job {
  core::job_id job{};
  core::principal by = core::local_operator();
};

struct stop_job {
  core::job_id job{};
  core::principal by = core::local_operator();
};

/// A token of 0 becomes a random one: a caller that may repeat the request after a lost answer sets its own.
struct trigger_job {
  core::manual_trigger wanted;
  core::principal by = core::local_operator();
};

struct remove_job {
  core::job_id job{};
  /// Also a job that a source declares.
  bool declared_too = false;
  core::principal by = core::local_operator();
  /// See `update_job`.
  std::string seen = {};
};

struct http_exchange {
  http_request request;
  http_reply_ptr reply;
};

struct status_query {};
struct stop_request {};

/// Stops gracefully in shared mode: nothing more is reserved, reserved instants are still fired.
struct finish_reserved {};

struct handles_query {};

/// Actors that the gateway and commands send to.
struct node_handles {
  registry_monitor registry;
  completion_actor completion;
  job_admin jobs;
  /// Null without a password_keeper: sign-in is impossible.
  user_admin users{};
  group_admin groups{};
  run_admin runs{};
  log_follower followed_logs{};
  alarm_tester alarm_tests{};
  figure_keeper figures{};
  doctor node_checks{};
  task_runner tasks{};
  alarm_actor alarms{};
  elastic_admin elastic{};
};

struct node_status {
  /// The node has an incarnation and a store: it may claim and send.
  bool ready = false;
  /// One line each; empty when ready.
  std::vector<std::string> reasons;
  std::optional<core::node_incarnation> life;
};

/// Asks for the nodes of the cluster.
struct nodes_query {};

/// Nodes from one node's memory, without a query of the store.
struct node_list {
  /// Sorted by id.
  std::vector<core::seen_node> nodes;
  core::cluster_mode mode = core::cluster_mode::native;
  /// Silence after which a node counts as dead.
  std::chrono::milliseconds dead_after{0};
};

} // namespace ringmaster::protocol
