#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "core/ids.hpp"
#include "core/run/unknown_verdict.hpp"
#include "core/time.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

/// One run that an executor is asked about.
struct executor_question {
  std::string address;
  core::job_id job{};
  core::log_id run{};
  core::time_point fire_at{};
  /// The present, for times in the executor's log.
  core::time_point now{};
  core::group_id group{};
};

/// What the executor's answers mean, and its link for what follows; an empty handle when there is none.
struct executor_answer {
  core::unknown_verdict verdict = core::unknown_verdict::cannot_tell;
  /// The executor itself has said it of this run: nothing was concluded.
  bool certain = false;
  /// It answered the first question, whatever it said.
  bool reached = false;
  /// The question that got no answer was given up at its time limit, so that the executor is slow or gone; else the connection
  /// broke or was refused, which may happen to one in many.
  bool timed_out = false;
  /// Why it cannot be told, for a person; empty when it can.
  std::string reason;
  protocol::executor_link link;
};

/// Asks `/idleBeat` first and `/log` after it (firing protocol §6), over the address's link, each within `limit`; over a native
/// link for the run itself. A question whose connection broke is asked again at once, once; the transport does not use a broken
/// connection again. `then` runs in `self` exactly once, after three limits and two seconds at the latest.
void ask_executor(protocol::recovery_actor::pointer self, const protocol::trigger_pool& pool, executor_question question,
                  std::chrono::milliseconds limit, std::function<void(executor_answer&&)> then);

} // namespace ringmaster::actors
