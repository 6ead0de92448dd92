#pragma once

// Catalogue of a native link: the messages that an executor and a node may send to each other. All are one-way. Answers are
// separate messages, so that neither end waits for a reply that a cut link has lost: each end keeps its own deadlines. Messages
// name no sender, so that the other end knows no other actors.
//
// The peer has only shown a certificate of the authority of links. `breach_of` (link_border.hpp) checks each message before it is
// acted on, and these actors hold no state of value.
//
// A link begins with four messages: hello, challenge, proof, and welcome or refusal. Executor and node prove to each other that
// they know one access token. It is the key of both proofs and is never sent over the link.

#include <caf/typed_actor.hpp>

#include "protocol/link_type_ids.hpp"

namespace ringmaster::protocol {

/// Actor that a node publishes. Admits executors, and does nothing else.
using link_door = caf::typed_actor<
  /// Answered at the gate that the hello names: with a challenge or a refusal.
  caf::result<void>(link_hello),
  /// Answered at the gate of the hello: with a welcome or a refusal. A proof without a pending challenge gets no answer.
  caf::result<void>(link_proof)>;

/// Node's end of one link.
using link_gate = caf::typed_actor<
  /// Reports which runs of a batch were accepted.
  caf::result<void>(link_verdicts),
  caf::result<void>(link_answer),
  /// Carries results; a receipt reports their outcome.
  caf::result<void>(link_reports),
  /// Announces that the executor stops: no more runs, and its address is forgotten.
  caf::result<void>(link_goodbye)>;

/// Executor's end of one link.
using executor_gate = caf::typed_actor<
  /// Answered at the door, once.
  caf::result<void>(link_challenge),
  caf::result<void>(link_welcome),
  caf::result<void>(link_refusal),
  /// Answered with verdicts.
  caf::result<void>(link_runs),
  caf::result<void>(link_question),
  caf::result<void>(link_receipt)>;

// From `elastic_link_version` on, both gates also take the messages of elastic jobs (elastic_link_messages.hpp). A handle on the
// wire has no interface: an end that knows the version of its peer casts the handle.

/// Node's end of a link of this version.
using elastic_link_gate = link_gate::extend<
  caf::result<void>(elastic_hello),
  caf::result<void>(elastic_heartbeat),
  caf::result<void>(elastic_events),
  caf::result<void>(elastic_inventory)>;

/// Executor's end of a link of this version.
using elastic_executor_gate = executor_gate::extend<
  caf::result<void>(elastic_welcome),
  caf::result<void>(elastic_ack),
  caf::result<void>(elastic_specs),
  caf::result<void>(elastic_grants),
  caf::result<void>(elastic_orders),
  caf::result<void>(elastic_receipt)>;

} // namespace ringmaster::protocol
