#pragma once

// The payloads of the catalogue. All stay inside the process.

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
#include "core/cluster/slot_map.hpp"
#include "core/editing/declared.hpp"
#include "core/editing/manual_edits.hpp"
#include "core/job/group.hpp"
#include "core/result.hpp"
#include "core/routing/lanes.hpp"
#include "core/run/run.hpp"
#include "core/schedule/schedule.hpp"
#include "protocol/actor_interfaces.hpp"
#include "protocol/http.hpp"
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

/// Claims that were adopted: how many runs of each are unresolved.
struct claims_opened {
  std::vector<std::pair<std::int64_t, std::uint32_t>> claims;
};

struct intent_batch {
  std::vector<core::intent> items;
};

/// An open claim that its own life has lost sight of.
struct stray_claim {
  std::int64_t sequence = 0;
  /// Its runs were never in anybody's memory: the claim was kept although its maker was told that it was not.
  bool never_sent = false;
};

struct stray_claims {
  std::vector<stray_claim> items;
};

// -- lives and slots -------------------------------------------------------------------------------------------------------

struct incarnation_change {
  /// Nothing: the lease is lost.
  std::optional<core::node_incarnation> life;
  /// Who owns the schedule as long as this life lasts.
  core::cluster_mode mode = core::cluster_mode::native;
};

struct slot_change {
  core::slot_set slots;
};

/// This node has ended the life of a dead one: its claims are orphans now.
struct peer_fenced {};

struct edit_hint {};

/// How far claims lag behind what was reserved beside Java admins.
struct reserved_backlog_query {};

struct reserved_backlog {
  /// By so much the oldest reserved instant is late that waits for its claim, not for its executor.
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
  /// The asker's own, given back as it is.
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
  /// Still due, too, and not worth another look at once: their executor gives no sign of life, or too many wait for an answer
  /// about where they can go.
  std::vector<route_candidate> held;
  /// How many candidates of a request this batch accounts for. Each request has its batch at once; those that wait for probes are
  /// accounted for in it and come in a later batch.
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
  /// Its result if the executor calls it a success. Nothing: the executor does not end it.
  std::optional<std::string> message;
};

/// Whom the pool tells of runs on their way and of runs whose fate is unknown, and whom it asks to look for executors.
struct trigger_partners {
  completion_actor completion;
  recovery_actor recovery;
  /// Looks for executors when there are none, and is told where no connection came about.
  registry_monitor registry{};
};

/// A run whose bytes were written and whose answer never came or proves nothing, and what came instead, for a person.
struct unanswered_run {
  core::claimed_run run;
  std::string error;
  /// The executor said "repeat" to the first sending.
  bool repeated = false;
};

/// Runs of this node whose fate is unknown. They hold their slots until recovery releases them.
struct unknown_batch {
  std::vector<unanswered_run> runs;
};

// -- executors -------------------------------------------------------------------------------------------------------------

struct link_query {
  std::string address;
  /// Not its native link, if it has one.
  bool http_only = false;
};

struct link_handle {
  executor_link link;
  /// The address registered itself, or this is a native link: one process answers there. Behind an address that people entered
  /// there may be several.
  bool is_one_process = false;
};

/// An executor dialled in, or its link takes no more runs.
struct native_link_update {
  std::string address;
  executor_link link;
  bool up = false;
};

/// To whom made the link.
struct native_link_lost {
  std::string address;
  std::uint64_t number = 0;
  /// The executor says that it stops; else its link was cut.
  bool goodbye = false;
};

struct send_batch {
  std::vector<core::claimed_run> runs;
  send_listener listener;
};

/// What became of one `/run`.
enum class send_state : std::uint8_t {
  /// A complete answer: `code` and `message` say which.
  answered,
  /// No byte left us.
  not_sent,
  /// The lease was over: the run stays claimed and is adopted later.
  gate_closed,
  unknown,
};

struct send_result {
  core::claimed_run run;
  send_state state = send_state::not_sent;
  /// 200 accepted; anything else but 0 refused.
  std::int32_t code = 0;
  /// The executor's text, or why nothing was sent.
  std::string message;
  std::chrono::microseconds elapsed{0};
  /// When its first byte was written; the epoch when none was.
  std::chrono::steady_clock::time_point sent_at{};
  /// Not sent because no connection came about.
  bool unreachable = false;
  /// Code 200 stands for "repeat": the executor has a run of this id already. Nothing repeats `/run`, so after a first sending
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
  /// In whose name it is asked; 0: of any group that the executor belongs to.
  core::group_id group{};
  /// With `idle_beat`: what is asked for is this run. Over a native link the executor says so itself; HTTP has no such question.
  core::log_id run{};
  core::time_point fire_at{};
};

struct probe_reply {
  /// 200: alive (idle). 0: no complete answer.
  std::int32_t code = 0;
  std::string message;
  /// It is about the run: 200 the executor has taken it, 404 it never came; else that cannot be told now.
  bool of_run = false;
};

/// Ends a run. Executors of XXL-JOB ignore the run's id and end all that they have of the job. Answered as a probe.
struct kill_request {
  core::job_id job{};
  core::group_id group{};
  core::log_id run{};
};

struct log_request {
  core::log_id run{};
  core::time_point fire_at{};
  /// 1: the first.
  std::int32_t from_line = 1;
  /// Group of the run; 0: unknown.
  core::group_id group{};
};

struct log_reply {
  /// False: no complete answer, or not a log reply.
  bool answered = false;
  std::int32_t to_line = 0;
  std::string content = {};
  /// What there was instead of an answer.
  std::string error = {};
  /// Of what `content` holds; the executor's own word.
  std::int32_t from_line = 0;
  /// The executor says that nothing will follow.
  bool end = false;
  /// Not answered because the answer is longer than `trigger.log_bytes_max`: it will not be shorter the next time.
  bool too_long = false;
};

struct drain_inbox {};

// -- registry --------------------------------------------------------------------------------------------------------------

struct registry_beat {
  std::string registry_group;
  std::string app_name;
  std::string address;
  /// The request carried an app name header: this executor wants one, too.
  bool app_header = false;
  /// Which token it showed.
  core::token_kind token = core::token_kind::common;
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
  /// For a person; empty: it may.
  std::string refusal;
};

struct registry_hint {};

/// One registration: app name and address.
using app_address = std::pair<std::string, std::string>;

/// Who can be called, at one moment. Immutable, shared.
struct registry_view {
  std::unordered_map<std::int32_t, core::group> groups;
  /// Registrations whose last beat carried the app name header.
  std::set<app_address> with_app_header;
  /// Registrations of groups with a token whose executors showed another one last: the common token or the group's former one.
  /// One that is missing is known to have no more than its group's token.
  std::map<app_address, core::token_kind> tokens_shown;
  /// `protocol::address_key` of addresses that were registered with a group's token alone: never sent the common one.
  std::unordered_set<std::string> without_common_token;
  /// Addresses that executors registered, of whatever app.
  std::unordered_set<std::string> registered;
};

struct registry_change {
  std::shared_ptr<const registry_view> view;
};

struct registry_subscription {
  registry_listener listener;
};

// -- alarms ----------------------------------------------------------------------------------------------------------------

/// What became of a message to a channel.
struct notice_done {
  std::uint64_t delivery = 0;
  core::result<void> outcome;
};

/// Whether an executor can be reached, as of just now.
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

/// Files as /api/v1 takes them: a body that a store worker reads, since it may be long.
struct apply_files {
  std::string body;
  core::principal by;
};

struct files_applied {
  core::deploy_report report;
  bool dry_run = false;
};

/// Everything, or a group, as a declared file.
struct export_query {
  std::optional<core::group_id> group;
  core::principal by;
  /// Only what this source declared.
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

/// A token of 0 becomes a random one: whoever may ask again after a lost answer brings his own.
struct trigger_job {
  core::manual_trigger wanted;
  core::principal by = core::local_operator();
};

struct remove_job {
  core::job_id job{};
  /// Also one that a source declares.
  bool declared_too = false;
  core::principal by = core::local_operator();
  /// As in `update_job`.
  std::string seen = {};
};

struct http_exchange {
  http_request request;
  http_reply_ptr reply;
};

struct status_query {};
struct stop_request {};

/// A graceful stop in shared mode: nothing more is reserved, what is reserved is still fired.
struct finish_reserved {};

struct handles_query {};

/// What gateway and commands speak to.
struct node_handles {
  registry_monitor registry;
  completion_actor completion;
  job_admin jobs;
  /// Null without a keeper of passwords: nobody signs in.
  user_admin users{};
  group_admin groups{};
  run_admin runs{};
  log_follower followed_logs{};
};

struct node_status {
  /// The node has a life and a store: it may claim and send.
  bool ready = false;
  /// One line each; empty when ready.
  std::vector<std::string> reasons;
  std::optional<core::node_incarnation> life;
};

/// Which nodes the cluster has.
struct nodes_query {};

/// Memory of one node: it asks the store for nothing.
struct node_list {
  /// In id order.
  std::vector<core::seen_node> nodes;
  core::cluster_mode mode = core::cluster_mode::native;
  /// When a silent node counts as dead.
  std::chrono::milliseconds dead_after{0};
};

} // namespace ringmaster::protocol
