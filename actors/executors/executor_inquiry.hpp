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
  /// Present time, to compare with times in the executor's log.
  core::time_point now{};
  core::group_id group{};
};

/// Conclusion from the executor's answers, and its link for what follows; an empty handle if there is none.
struct executor_answer {
  core::unknown_verdict verdict = core::unknown_verdict::cannot_tell;
  /// The executor itself stated it for this run; it was not concluded.
  bool certain = false;
  /// It answered the first question, with any result.
  bool reached = false;
  /// The unanswered question reached its time limit, so the executor is slow or gone. Otherwise the connection broke or was
  /// refused, which may happen to a single connection.
  bool timed_out = false;
  /// Reason why the state of the run is unknown, for users; empty if it is known.
  std::string reason;
  protocol::executor_link link;
};

/// Asks `/idleBeat` first and then `/log` (firing protocol §6), over the link of the address, each within `limit`. Over a native
/// link, asks for the run itself. If the connection of a question breaks, repeats the question at once, one time; the transport
/// does not use a broken connection again. Calls `then` in `self` exactly once, after three limits and two seconds at the latest.
void ask_executor(protocol::recovery_actor::pointer self, const protocol::trigger_pool& pool, executor_question question,
                  std::chrono::milliseconds limit, std::function<void(executor_answer&&)> then);

} // namespace ringmaster::actors
