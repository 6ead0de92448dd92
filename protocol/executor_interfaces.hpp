#pragma once

// Catalogue of the actors of an executor process. Separate from actor_interfaces.hpp, which is the admin's; an executor links
// nothing of that.

#include <caf/typed_actor.hpp>

#include "protocol/executor_type_ids.hpp"
#include "protocol/link_interfaces.hpp"

namespace ringmaster::protocol {

/// Sends requests to the executor's admins. Asks them in the configured order and stops at the first that accepts.
using admin_link = caf::typed_actor<
  caf::result<admin_answer>(admin_registration),
  /// Sends all reports in at most one request.
  caf::result<admin_answer>(report_batch),
  caf::result<void>(admin_replied)>; // INTERNAL

/// Keeps this executor registered from its start on.
using beat_actor = caf::typed_actor<
  /// Withdraws the registration; replies when an admin has confirmed it, or when none could be reached.
  caf::result<void>(end_registration),
  caf::result<void>(tick_atom)>; // INTERNAL

/// Delivers results of finished runs; keeps each until an admin has it, also when this process ends.
using callback_actor = caf::typed_actor<
  /// One-way: sent in batches.
  caf::result<void>(run_reports),
  /// Tries links first from then on. Waiting results are tried at once.
  caf::result<void>(callback_partners),
  /// Replies when all earlier results are at an admin or on disk.
  caf::result<void>(flush_reports),
  caf::result<void>(work_done),  // INTERNAL
  caf::result<void>(tick_atom)>; // INTERNAL

/// Part of executor_host.
using job_listener = caf::typed_actor<caf::result<void>(job_quiet)>;

/// Runs one job: its queue, its current run, and the worker's lifetime (XXL wire §5). Made and ended by executor_host only.
using job_thread = caf::typed_actor<
  /// Decides by the block strategy at once (§5.3, steps 3 to 5).
  caf::result<core::trigger_reply>(job_trigger),
  /// Ends the current run and the waiting runs. Replies whether there was a worker.
  caf::result<bool>(stop_worker),
  /// Replies whether a run is executing or waiting.
  caf::result<job_thread_state>(job_thread_query),
  caf::result<void>(body_ended), // INTERNAL
  caf::result<void>(tick_atom)>; // sent by executor_host, whose timer serves all

/// Handles the requests to an executor, over HTTP and over links.
using executor_host = caf::typed_actor<
  /// Replies whether each run was accepted, in their order.
  caf::result<trigger_replies>(trigger_batch),
  caf::result<core::trigger_reply>(kill_job),
  /// Replies 200 when no run of the job is executing or waiting.
  caf::result<core::trigger_reply>(idle_query),
  /// Replies 200: this executor has accepted the run, now or before. 404: it has not. 0: not known now.
  caf::result<core::trigger_reply>(taken_query),
  caf::result<core::log_lines>(log_query),
  /// Stops accepting runs, waits for the accepted ones up to the time limit, then stops them. Replies when all have ended and are
  /// reported, or when runs that ignore their stop have been waited for long enough.
  caf::result<void>(drain_request),
  caf::result<executor_state>(executor_state_query),
  caf::result<void>(job_quiet),  // INTERNAL
  caf::result<void>(work_done),  // INTERNAL
  caf::result<void>(tick_atom)>; // INTERNAL

/// Handles requests of admins over HTTP. Replies through the exchange.
using executor_door = caf::typed_actor<caf::result<void>(http_exchange)>;

/// Connects to the nodes that offer a native link, again and again, and brings their runs to executor_host.
using link_dialer = caf::typed_actor<
  /// Sends results over any link that is up: actors/executor/callbacks/report_way.hpp.
  caf::result<void>(run_reports),
  /// Announces on all links that no more runs are wanted, and connects no more. Links stay up for results.
  caf::result<void>(link_goodbye),
  caf::result<void>(link_dialled), // INTERNAL
  caf::result<void>(link_heard),   // INTERNAL
  caf::result<void>(tick_atom)>;   // INTERNAL

} // namespace ringmaster::protocol
