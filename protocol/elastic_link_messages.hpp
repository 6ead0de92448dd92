#pragma once

// Messages of elastic jobs over a native link (elastic design §3), from version `elastic_link_version` of the link on. Frozen
// with link_type_ids.hpp. Like all messages of a link they are one-way and show the key of their receiver. `breach_of`
// (elastic_border.hpp) checks each one.
//
// A host introduces itself with a hello on each link, and acts on nothing before the welcome. Its heartbeats follow; a node
// answers each one.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/elastic/elastic_ids.hpp"
#include "core/elastic/item_actions.hpp"
#include "core/elastic/item_events.hpp"
#include "core/elastic/run_cause.hpp"
#include "core/elastic/stored_rows.hpp"
#include "core/time.hpp"
#include "protocol/link_messages.hpp"

namespace ringmaster::protocol {

// -- from a host to a node -------------------------------------------------------------------------------------------------

/// Introduces the process of a host. The host's id is the address of its link.
struct elastic_hello {
  /// Drawn at the start of the process: 32 hexadecimal digits.
  std::string process;
  /// Id of the folder that this process has locked: 32 hexadecimal digits.
  std::string folder;
  /// Id of the boot of its machine.
  std::string boot;
  std::int64_t pid = 0;
  /// Number of its pid namespace.
  std::int64_t pid_namespace = 0;
  /// Start of the process in clock ticks since the boot; with `pid` it names the process on its machine.
  std::int64_t start_ticks = 0;
  std::string ip;
  /// Separated by commas.
  std::string labels;
  /// Maximum number of item runs at the same time.
  std::int32_t capacity = 0;
  std::vector<std::string> handlers;
  std::vector<std::string> listeners;
  std::vector<std::string> once_listeners;
  /// Cluster that the host belongs to (H4); empty: it has not met any.
  std::string cluster;
  /// Highest epoch of each slot that the host has seen (H1), by slot.
  std::vector<core::elastic::slot_lease> epochs;
  link_key key = {};
};

/// Sent every 150 ms to each linked node.
struct elastic_heartbeat {
  /// Counted by the host, for each link from 1.
  std::uint64_t number = 0;
  core::elastic::host_incarnation incarnation{};
  /// The host's wall clock.
  core::time_point wall{};
  std::int32_t free_slots = 0;
  /// Bodies that ignored cancel and kill (R3).
  std::int32_t tainted = 0;
  /// Highest number of a keeper that the host has accepted.
  std::int64_t keeper_no = 0;
  /// Asks the node to become the keeper (E2): from then on only an answer with a higher `keeper_no` counts.
  bool asks_keeper = false;
  link_key key = {};
};

enum class elastic_event_kind : std::uint8_t { accepted, refused, started, progress, cursor, arrived, finished, fenced };

/// Reason of `refused`.
enum class elastic_refusal : std::uint8_t {
  none,
  /// A lower epoch than the slot's highest (H1).
  old_epoch,
  /// The grant names another process (H2).
  other_process,
  /// The host's lease is over (H2).
  no_lease,
  no_free_slot,
  draining,
  unknown_handler,
  /// The definition of this version was not sent before.
  no_definition,
  /// The item runs here already, under another fence.
  busy,
  /// The process does not have the pool, or the error handler, of the job.
  unknown_pool,
  unknown_error_handler,
  /// The host lacks an each-node or once-listener of the job.
  unknown_listener,
};

/// Event of one item run. Repeated over any link, with the same fence, until its receipt (H3).
struct elastic_event {
  core::elastic::elastic_job_id job{};
  core::elastic::item_number item{};
  core::elastic::item_run_id run{};
  core::elastic::fence_number fence{};
  elastic_event_kind kind = elastic_event_kind::accepted;
  /// Reason; only with `refused`.
  elastic_refusal refusal = elastic_refusal::none;
  /// Result; only with `finished`.
  core::elastic::host_outcome outcome = core::elastic::host_outcome::success;
  /// Moment of the event on the host's wall clock.
  core::time_point at{};
  /// Text of `progress`; failure of `finished` and `refused`, for users.
  std::string text;
  /// With `cursor`: the value to store. With `finished`: the last value, if it is not stored yet.
  std::optional<std::string> cursor = {};
  /// Number of the cursor among those of its run, from 1: an older one that comes late has no effect. 0: no cursor.
  std::uint64_t cursor_number = 0;
  /// Process of the supervisor of a script; 0: none; only with `started`.
  std::int64_t child_pid = 0;
};

struct elastic_events {
  /// Counted by the host, for each link from 1. A repeated event comes in a new batch.
  std::uint64_t batch = 0;
  std::vector<elastic_event> events;
  link_key key = {};
};

enum class elastic_phase : std::uint8_t {
  /// Accepted, and not started.
  waiting,
  running,
  /// Arrived at a barrier.
  holding,
  /// Ended; its result has no receipt yet.
  ended,
};

struct elastic_held_run {
  core::elastic::elastic_job_id job{};
  core::elastic::item_number item{};
  core::elastic::item_run_id run{};
  core::elastic::fence_number fence{};
  elastic_phase phase = elastic_phase::waiting;
  friend bool operator==(const elastic_held_run&, const elastic_held_run&) = default;
};

/// All runs of one slot on a host, in one or several parts. Answers an order of inventory.
struct elastic_inventory {
  /// `elastic_orders::inventory` of the question.
  std::uint64_t question = 0;
  std::uint32_t slot = 0;
  /// Epoch of the question.
  std::int64_t epoch = 0;
  /// May be empty.
  std::vector<elastic_held_run> runs;
  /// This is the last part.
  bool end = false;
  link_key key = {};
};

// -- from a node to a host -------------------------------------------------------------------------------------------------

/// Decision about a hello.
enum class elastic_verdict : std::uint8_t {
  welcome,
  /// This process counts as dead: it fences itself and enters as a new process.
  dead_process,
  /// A newer process has the host's id: this one stops.
  replaced,
  other_cluster,
  too_many_hosts,
  /// The node cannot decide now. The host repeats its hello, at most once a second.
  unavailable,
};

/// Limits that the node sets.
struct elastic_limits {
  core::milliseconds heartbeat{150};
  /// Without an acknowledgement for so long, the host asks another node to become the keeper.
  core::milliseconds keeper_lost_after{300};
  friend bool operator==(const elastic_limits&, const elastic_limits&) = default;
};

/// Answers a hello.
struct elastic_welcome {
  elastic_verdict verdict = elastic_verdict::welcome;
  std::string cluster;
  /// Name of the node.
  std::string node;
  /// Number and incarnation of the host. Of a refusal: those of the process that it is about, or 0.
  core::elastic::host_process host;
  elastic_limits limits = {};
  /// 0: this node is not the keeper.
  std::int64_t keeper_no = 0;
  /// Sent by the guard process as proof of this process's end (P2). Bound to the incarnation.
  link_key death_key = {};
  /// For operators; empty for `welcome`.
  std::string reason;
  link_key key = {};
};

/// Answers a heartbeat. Extends the lease only with the current `keeper_no`.
struct elastic_ack {
  /// Number of the heartbeat.
  std::uint64_t number = 0;
  /// 0: this node is not the keeper.
  std::int64_t keeper_no = 0;
  /// The node is about to stop: the host looks for another keeper.
  bool leave = false;
  link_key key = {};
};

/// Part of a job's definition that its hosts need.
struct elastic_spec {
  core::elastic::elastic_job_id job{};
  /// `ej_job.version`.
  std::int64_t version = 0;
  // As in `core::elastic::elastic_definition` and its options.
  std::string name_space;
  std::string name;
  std::string kind;
  std::string handler;
  std::int32_t total = 1;
  std::string item_params;
  std::string pool;
  std::string error_handler;
  std::string listeners;
  std::string once_listeners;
  bool streaming = false;
  std::string props;
  friend bool operator==(const elastic_spec&, const elastic_spec&) = default;
};

/// Sent before the first grant of its version, once per link.
struct elastic_specs {
  std::vector<elastic_spec> specs;
  link_key key = {};
};

struct elastic_grant {
  core::elastic::item_number item{};
  core::elastic::item_run_id run{};
  core::elastic::fence_number fence{};
  core::elastic::run_source source = core::elastic::run_source::normal;
  std::int32_t attempt = 1;
  /// Its fire: instant, source, and request or 0.
  core::time_point fire_at{};
  core::elastic::run_source fire_source = core::elastic::run_source::normal;
  core::elastic::request_id request{};
  /// The run may go on for so long after the last heartbeat that the keeper acknowledged.
  core::milliseconds lease{500};
  std::optional<std::string> cursor = {};
  /// The run arrives at the barrier of its fire, and waits for the order `go`.
  bool hold = false;
};

/// Item runs of one job that begin now.
struct elastic_grants {
  /// Refused by any other process (H2).
  core::elastic::host_process host;
  std::uint32_t slot = 0;
  std::int64_t epoch = 0;
  core::elastic::elastic_job_id job{};
  /// `elastic_spec::version`.
  std::int64_t version = 0;
  std::string param;
  std::vector<elastic_grant> items;
  link_key key = {};
};

struct elastic_run_order {
  core::elastic::item_run_id run{};
  core::elastic::fence_number fence{};
  core::elastic::item_order order = core::elastic::item_order::close;
  friend bool operator==(const elastic_run_order&, const elastic_run_order&) = default;
};

/// Orders for runs of one slot, or a question for its inventory.
struct elastic_orders {
  core::elastic::host_process host;
  std::uint32_t slot = 0;
  std::int64_t epoch = 0;
  std::vector<elastic_run_order> orders;
  /// Number of a question for the inventory, which the answer repeats; 0: none. The answer describes the moment after `orders`.
  std::uint64_t inventory = 0;
  link_key key = {};
};

/// Answers a batch of events.
struct elastic_receipt {
  std::uint64_t batch = 0;
  /// The events are durable, or have no effect. False: not now, and the host repeats them.
  bool stored = false;
  link_key key = {};
};

} // namespace ringmaster::protocol
