#pragma once

// Catalogue of the actors of elastic jobs (elastic design §1): those of a node, then those of a host. Payloads are in
// elastic_messages.hpp.
//
// Unless a comment says otherwise a message is one-way. Messages marked INTERNAL are sent by an actor to itself.

#include <caf/result.hpp>
#include <caf/typed_actor.hpp>

#include "protocol/elastic_type_ids.hpp"
#include "protocol/link_interfaces.hpp"

namespace ringmaster::protocol {

// -- a node ----------------------------------------------------------------------------------------------------------------

/// Receives what hosts say over native links. A link passes on only checked messages of peers that speak
/// `elastic_link_version`.
using link_extension = caf::typed_actor<
  caf::result<void>(host_said),
  /// The last message about this link.
  caf::result<void>(host_link_lost)>;

/// The node's end of a link to one host. A `native_link` is one.
using host_link = caf::typed_actor<
  /// Writes a message to the host, or drops it: after the end of the link, to a peer of an older version, and a grant or an
  /// acknowledgement while the node's gate is closed.
  caf::result<void>(host_message)>;

/// Admission of hosts, heartbeats, tasks of the keeper, verdicts. Acknowledges a heartbeat before any access to the store.
using elastic_hosts = link_extension::extend<
  /// Proof that a process has ended.
  caf::result<void>(death_report),
  caf::result<void>(incarnation_change),
  /// This node is about to leave: its hosts look for another keeper. It keeps them until then. Answered when they have found one,
  /// or after a second.
  caf::result<void>(stop_request),
  /// From coordinators.
  caf::result<void>(host_send),
  /// Reports the outcome of a part of a batch of events; the receipt follows once all parts have one.
  caf::result<void>(host_events_done),
  /// INTERNAL: every 50 ms.
  caf::result<void>(tick_atom)>;

/// Owns the elastic jobs of this node's slots: leases, definitions, one heap and one timer for all coordinators.
using elastic_director = caf::typed_actor<
  caf::result<void>(hosts_subscription),
  caf::result<void>(incarnation_change),
  caf::result<void>(slot_change),
  caf::result<void>(edit_hint),
  caf::result<void>(pending_work_update),
  /// From elastic_hosts; passed on to coordinators.
  caf::result<void>(host_view),
  /// From elastic_hosts; passed on to the coordinators of its jobs.
  caf::result<void>(host_events),
  /// From elastic_hosts; passed on to all coordinators.
  caf::result<void>(host_notice),
  caf::result<void>(host_epochs),
  caf::result<void>(coordinator_wish),
  caf::result<void>(stop_request),
  caf::result<void>(tick_atom)>; // INTERNAL

/// One elastic job of a held slot. Child of the director, which replaces it. It has no timer.
using elastic_coordinator = caf::typed_actor<
  /// The moment that it asked for has come.
  caf::result<void>(elastic_due),
  caf::result<void>(host_view),
  caf::result<void>(host_events),
  caf::result<void>(host_notice),
  caf::result<void>(elastic_stored),
  caf::result<void>(elastic_job_change),
  /// Answered by `coordinator_wish::released` once all its writes are answered.
  caf::result<void>(slot_release_order)>;

/// Batches the writes of all coordinators: what queued while its worker was busy is the next transaction.
using elastic_writer = caf::typed_actor<
  /// Each write is answered once, by elastic_stored. Repeated while the store is unavailable.
  caf::result<void>(elastic_ops),
  caf::result<void>(incarnation_change),
  caf::result<node_status>(status_query),
  caf::result<void>(tick_atom)>; // INTERNAL

/// Sends the messages of error handlers of elastic jobs.
using error_notifier = caf::typed_actor<
  /// From coordinators.
  caf::result<void>(item_error),
  caf::result<void>(notice_done), // INTERNAL
  caf::result<void>(tick_atom)>;  // INTERNAL

// -- a host ----------------------------------------------------------------------------------------------------------------

/// The host's end of a link to one node. The gate of an attempt to link is one.
using node_link = caf::typed_actor<
  /// Writes a message to the node, or drops it after the end of the link.
  caf::result<void>(node_message)>;

/// The gate of one attempt to link, as its own process sees it.
using executor_link_end = elastic_executor_gate::extend<caf::result<void>(node_message)>;

/// One per host process: lease, epoch per slot, admission of grants, events until their receipt.
using elastic_host = caf::typed_actor<
  /// A link is up, or has ended.
  caf::result<void>(link_offer),
  caf::result<void>(node_said),
  /// From its jobs.
  caf::result<void>(item_event),
  /// From its jobs: a call of each-node listeners has begun or ended.
  caf::result<void>(listener_note),
  /// The fence timer has enforced the end of the lease.
  caf::result<void>(lease_end),
  /// Grants are refused from now on. Answered when all runs have ended, or after the time limit.
  caf::result<void>(drain_request),
  caf::result<void>(tick_atom)>; // INTERNAL

/// One job on a host: concurrency limit, listeners, bodies. Child of elastic_host; ends when it has been idle for long.
using elastic_job_host = caf::typed_actor<
  caf::result<void>(item_grants),
  caf::result<void>(item_order),
  caf::result<void>(body_ended),       // INTERNAL
  caf::result<void>(error_handled),    // INTERNAL
  caf::result<void>(listeners_ended)>; // INTERNAL

} // namespace ringmaster::protocol
