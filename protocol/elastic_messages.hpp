#pragma once

// Local messages of elastic jobs, of nodes and of hosts. Payloads of elastic_interfaces.hpp.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/elastic/elastic_ids.hpp"
#include "core/elastic/host.hpp"
#include "core/elastic/item_actions.hpp"
#include "core/elastic/item_events.hpp"
#include "core/elastic/store_ops.hpp"
#include "core/elastic/stored_rows.hpp"
#include "core/ids.hpp"
#include "core/job/group.hpp"
#include "core/run/trigger_request.hpp"
#include "core/result.hpp"
#include "protocol/elastic_interfaces.hpp"
#include "protocol/elastic_link_messages.hpp"

namespace ringmaster::protocol {

/// Only differences count.
using elastic_steady = std::chrono::steady_clock::time_point;

// -- a node: links ---------------------------------------------------------------------------------------------------------

/// Rights of a host, by the token that its link has proved.
struct host_rights {
  core::token_kind token = core::token_kind::common;
  /// Groups of its app name, ascending. With a group's token, the host runs only jobs of these. Never null.
  std::shared_ptr<const std::vector<core::group_id>> groups;
};

/// A host's hello, and what its link has proved.
struct host_introduction {
  elastic_hello hello;
  std::string app_name;
  /// The host's id.
  std::string address;
  host_rights rights;
};

/// A message of a host.
struct host_said {
  /// Number among the links of this node; never used again.
  std::uint64_t link_number = 0;
  host_link link;
  elastic_steady heard_at{};
  /// The first message of a link is an introduction, which may be repeated. Rights: they have changed.
  std::variant<host_introduction, host_rights, elastic_heartbeat, elastic_events, elastic_inventory> said;
};

/// A link with an introduction has ended: its handle is dropped, unless `goodbye`. This proves nothing about the process of the
/// host.
struct host_link_lost {
  std::uint64_t link_number = 0;
  /// The executor announced that it stops; its link may stay up for events.
  bool goodbye = false;
};

/// Sent once to native_links, by the actor that starts elastic_hosts. Before it, links refuse messages of elastic jobs.
struct link_subscription {
  link_extension hosts;
};

/// Sent once to elastic_director, by the actor that starts both.
struct hosts_subscription {
  elastic_hosts hosts;
};

/// A message to the host at the other end of a link. Its key is set by the link.
struct host_message {
  /// Life of the node in which a grant, an acknowledgement or a receipt was decided: the gate is checked for it. If it is closed,
  /// a receipt asks for the batch again, and the others do not leave. 0: no gate.
  std::int64_t life = 0;
  std::variant<elastic_welcome, elastic_ack, elastic_specs, elastic_grants, elastic_orders, elastic_receipt> what;
};

/// A message to a host by its number: elastic_hosts finds the link. Dropped if this process of the host has no link.
struct host_send {
  core::elastic::host_process host;
  host_message message;
};

// -- a node: hosts ---------------------------------------------------------------------------------------------------------

/// Load of a host, in addition to its facts in `host_list`.
struct host_seat {
  core::elastic::host_process host;
  std::int32_t capacity = 0;
  /// From its last heartbeat.
  std::int32_t free_slots = 0;
  std::int32_t tainted = 0;
  /// Two heartbeats are missing: no new grants.
  bool suspect = false;
  /// Groups whose jobs it may run, ascending; null: all.
  std::shared_ptr<const std::vector<core::group_id>> groups = nullptr;
};

/// All hosts at one moment. Immutable.
struct known_hosts {
  core::elastic::host_list hosts;
  /// By number, ascending.
  std::vector<host_seat> seats;
  /// At least two nodes are up: the default of `fence_mode` is `fast`.
  bool several_nodes = false;
  /// It differs from the list before only in free slots: only coordinators with runs need it.
  bool only_load = false;
};

/// Never null. Sent with each change.
struct host_view {
  std::shared_ptr<const known_hosts> known;
};

/// Proof that a process has ended (P1 or P2).
struct death_report {
  core::elastic::host_process host;
};

/// Events and inventories of one host. The director splits events by job; to coordinators, all are of their job.
struct host_events {
  core::elastic::host_process host;
  std::uint64_t link_number = 0;
  /// Answered by host_events_done with the number of events; 0: no receipt is wanted.
  std::uint64_t batch = 0;
  std::vector<elastic_event> events;
  /// A part of an inventory; to coordinators, with the runs of their job only.
  std::optional<elastic_inventory> inventory = {};
};

/// Sent to elastic_hosts; parts of a batch are added up.
struct host_events_done {
  core::elastic::host_process host;
  std::uint64_t link_number = 0;
  std::uint64_t batch = 0;
  std::size_t events = 0;
  bool stored = false;
  /// Life of the node for which the outcome holds: that of a run which is over, or of no job here, holds only while the node has
  /// the slot. 0: the store has it.
  std::int64_t life = 0;
};

enum class host_fate : std::uint8_t { suspect, silent, back, dead, replaced, left };

/// News about a process of a host (E2, E3).
struct host_notice {
  core::elastic::host_process host;
  host_fate fate = host_fate::silent;
  /// Moment of the last heartbeat; only with `silent`.
  elastic_steady last_beat{};
  /// The programs of the process have provably ended, too; only with `dead`, `replaced` and `left`. A second notice may tell it.
  bool programs_ended = false;
};

/// Highest epochs that an admitted host has seen. Those of the store are lower only if its database was restored from a backup.
struct host_epochs {
  std::vector<core::elastic::slot_lease> epochs;
};

// -- a node: jobs ----------------------------------------------------------------------------------------------------------

struct coordinator_wish {
  core::elastic::elastic_job_id job{};
  /// The coordinator wants to be called at this moment; an earlier moment no longer counts.
  std::optional<elastic_steady> call_at = {};
  /// All its writes are answered after `slot_release_order`.
  bool released = false;
  /// Set when it changes: runs of the job are open or owed, so that free slots matter.
  std::optional<bool> is_busy = {};
};

struct elastic_due {
  core::time_point wall{};
};

/// Writes of one coordinator. Each is one op; the ops of one message go into one transaction if it has room.
struct elastic_ops {
  elastic_coordinator from;
  /// Number that the answer repeats; counted by the coordinator.
  std::uint64_t number = 0;
  /// Lease of the job's slot.
  core::elastic::slot_lease lease;
  /// All of one job.
  std::vector<core::elastic::elastic_op> ops;
};

struct elastic_stored {
  std::uint64_t number = 0;
  /// One for each op, in their order.
  std::vector<core::elastic::elastic_answer> answers;
};

/// A new version of the job, or another status.
struct elastic_job_change {
  /// The job was removed, so that there is nothing to read.
  bool removed = false;
};

struct slot_release_order {};

/// A failed item, or hook, for an error handler of its job that notifies users. Sent once its end is stored.
struct item_error {
  /// Never null.
  std::shared_ptr<const core::elastic::elastic_job_row> job;
  core::elastic::item_number item{};
  /// 0: a hook that did not begin.
  core::elastic::item_run_id run{};
  /// Name of the host; empty: not known any more.
  std::string host;
  core::time_point at{};
  /// Text of the failure, for users.
  std::string text;
};

// -- a host ----------------------------------------------------------------------------------------------------------------

/// A link to a node.
struct link_offer {
  /// Number of the attempt to link; never used again in this process.
  std::uint64_t link_number = 0;
  /// Address of the node, `host:port`.
  std::string address;
  /// Null: the link has ended.
  node_link link;
};

/// A message of a node that has proved the access token.
struct node_said {
  std::uint64_t link_number = 0;
  elastic_steady heard_at{};
  std::variant<elastic_welcome, elastic_ack, elastic_specs, elastic_grants, elastic_orders, elastic_receipt> said;
};

/// A message to the node at the other end of a link. Its key is set by the link.
struct node_message {
  std::variant<elastic_hello, elastic_heartbeat, elastic_events, elastic_inventory> what;
};

/// An event of a run, from its job to elastic_host, which keeps it until its receipt.
struct item_event {
  elastic_event event;
};

/// Admitted grants of one job.
struct item_grants {
  /// Never null.
  std::shared_ptr<const elastic_spec> spec;
  /// `elastic_grants::param`.
  std::string param;
  std::vector<elastic_grant> items;
};

/// The error handler of a job has handled a failed item.
struct error_handled {
  core::elastic::item_run_id run{};
  /// Items of the same fire that have not begun are cancelled.
  bool aborts = false;
  /// Why the handler could not do its work; empty: it did.
  std::string trouble = {};
};

struct item_order {
  core::elastic::item_run_id run{};
  core::elastic::fence_number fence{};
  core::elastic::item_order order = core::elastic::item_order::cancel;
};

/// A call of each-node listeners has ended.
struct listeners_ended {
  /// Number of the call within its job.
  std::uint64_t call = 0;
  core::run_outcome outcome = {};
};

/// A call of each-node listeners of a job has begun, or has ended.
struct listener_note {
  core::elastic::elastic_job_id job{};
  bool begins = false;
  /// For the log of the process; empty: nothing failed.
  std::string failure = {};
};

/// The lease is over: slots are closed, bodies are stopped, process groups are killed. Runs with a longer lease go on.
struct lease_end {
  /// Runs whose lease has ended.
  std::vector<core::elastic::item_run_id> runs;
};

} // namespace ringmaster::protocol
