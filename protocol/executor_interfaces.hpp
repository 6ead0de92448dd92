#pragma once

// The catalogue of an executor process: who may ask whom what. Beside actor_interfaces.hpp, which is the admin's; an executor
// links nothing of that.

#include <caf/typed_actor.hpp>

#include "protocol/executor_type_ids.hpp"
#include "protocol/link_interfaces.hpp"

namespace ringmaster::protocol {

/// What an executor says to its admins. Asks them in the configured order and stops at the first that takes it.
using admin_link = caf::typed_actor<
  caf::result<admin_answer>(admin_registration),
  /// At most one request holds all of them.
  caf::result<admin_answer>(report_batch),
  caf::result<void>(admin_replied)>; // INTERNAL

/// Keeps this executor registered from its start on.
using beat_actor = caf::typed_actor<
  /// Withdraws it; replies when an admin knows, or when none could be told.
  caf::result<void>(end_registration),
  caf::result<void>(tick_atom)>; // INTERNAL

/// The result of a run that is over; kept until an admin has it, also when this process ends.
using callback_actor = caf::typed_actor<
  /// One-way: sent in batches.
  caf::result<void>(run_reports),
  /// From then on links are asked first. What waits is tried at once.
  caf::result<void>(callback_partners),
  /// Replies when everything that came before is at an admin or on disk.
  caf::result<void>(flush_reports),
  caf::result<void>(work_done),  // INTERNAL
  caf::result<void>(tick_atom)>; // INTERNAL

/// Part of executor_host.
using job_listener = caf::typed_actor<caf::result<void>(job_quiet)>;

/// One job: its queue, what runs now, and the worker's life (XXL wire §5). Made and ended by executor_host alone.
using job_thread = caf::typed_actor<
  /// Decides by the block strategy at once (§5.3, steps 3 to 5).
  caf::result<core::trigger_reply>(job_trigger),
  /// Ends what runs and what waits. Whether there was a worker.
  caf::result<bool>(stop_worker),
  /// Whether something runs or waits.
  caf::result<job_thread_state>(job_thread_query),
  caf::result<void>(body_ended), // INTERNAL
  caf::result<void>(tick_atom)>; // of executor_host, whose timer serves all

/// The door of an executor, for HTTP and for links alike.
using executor_host = caf::typed_actor<
  /// Whether each was taken, in their order.
  caf::result<trigger_replies>(trigger_batch),
  caf::result<core::trigger_reply>(kill_job),
  /// 200: nothing of the job runs or waits.
  caf::result<core::trigger_reply>(idle_query),
  /// 200: this executor has taken it, now or before. 404: it has not. 0: not known now.
  caf::result<core::trigger_reply>(taken_query),
  caf::result<core::log_lines>(log_query),
  /// Takes no more runs, waits so long for those it has, then stops them; replies when all are over and reported, or when those
  /// that do not heed their stop were waited for long enough.
  caf::result<void>(drain_request),
  caf::result<executor_state>(executor_state_query),
  caf::result<void>(job_quiet),  // INTERNAL
  caf::result<void>(work_done),  // INTERNAL
  caf::result<void>(tick_atom)>; // INTERNAL

/// Requests of admins over HTTP. Replies through the exchange.
using executor_door = caf::typed_actor<caf::result<void>(http_exchange)>;

/// Dials the nodes that have a native link to offer, each again and again, and brings their runs to executor_host.
using link_dialer = caf::typed_actor<
  /// Over any link that is up: actors/executor/callbacks/report_way.hpp.
  caf::result<void>(run_reports),
  /// Says on all links that no more runs are wanted, and dials no more. Links stay up for results.
  caf::result<void>(link_goodbye),
  caf::result<void>(link_dialled), // INTERNAL
  caf::result<void>(link_heard),   // INTERNAL
  caf::result<void>(tick_atom)>;   // INTERNAL

} // namespace ringmaster::protocol
