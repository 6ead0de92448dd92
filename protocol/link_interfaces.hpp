#pragma once

// The catalogue of a native link: what an executor and a node may say to each other. All of it is one-way; answers are messages
// of their own, so that nobody waits for a reply that a cut link has swallowed: each side keeps its own deadlines. No sender is
// named, so that the other side knows of no actor but these.
//
// Whoever is at the other end has shown a certificate of the authority of links, and nothing else: what he says is looked at by
// `breach_of` (link_border.hpp) before anybody acts on it, and these actors have nothing to lose.
//
// A link begins with four messages: hello, challenge, proof, and welcome or refusal. Executor and node prove to each other that
// they know one access token; it is the key of both proofs and crosses the link in no message.

#include <caf/typed_actor.hpp>

#include "protocol/link_type_ids.hpp"

namespace ringmaster::protocol {

/// What a node publishes. Lets executors in, and does nothing else.
using link_door = caf::typed_actor<
  /// Answered at the gate that it names: with a challenge or a refusal.
  caf::result<void>(link_hello),
  /// Answered at the gate of the hello: with a welcome or a refusal. A proof of no challenge that waits has no answer.
  caf::result<void>(link_proof)>;

/// The end of one link on the node.
using link_gate = caf::typed_actor<
  /// Which runs of a batch were taken.
  caf::result<void>(link_verdicts),
  caf::result<void>(link_answer),
  /// Results; a receipt says what became of them.
  caf::result<void>(link_reports),
  /// The executor stops: no more runs, and its address is forgotten.
  caf::result<void>(link_goodbye)>;

/// The end of one link on the executor.
using executor_gate = caf::typed_actor<
  /// Answered at the door, once.
  caf::result<void>(link_challenge),
  caf::result<void>(link_welcome),
  caf::result<void>(link_refusal),
  /// Answered with verdicts.
  caf::result<void>(link_runs),
  caf::result<void>(link_question),
  caf::result<void>(link_receipt)>;

} // namespace ringmaster::protocol
