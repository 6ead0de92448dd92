#pragma once

// The payloads of an executor process. All stay inside it; what crosses a link is in link_messages.hpp.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/result.hpp"
#include "core/run/trigger_request.hpp"
#include "protocol/executor_interfaces.hpp"
#include "protocol/http.hpp"
#include "protocol/link_messages.hpp"

namespace ringmaster::actors {
struct run_body;
} // namespace ringmaster::actors

namespace ringmaster::protocol {

struct run_reports {
  std::vector<core::run_report> reports;
};

struct flush_reports {
  std::chrono::milliseconds limit{};
};

// -- admins ----------------------------------------------------------------------------------------------------------------

/// The address that admins shall send runs to, or no longer.
struct admin_registration {
  std::string address;
  bool remove = false;
};

struct report_batch {
  std::shared_ptr<const std::vector<core::run_report>> reports;
};

/// What came of one round through the admins.
struct admin_answer {
  bool accepted = false;
  /// Who answered at all, whatever it was.
  bool reached = false;
  /// What each that did not take it said, in their order and as the log of a run shows it.
  std::vector<std::string> refusals;
};

struct admin_replied {
  /// The rounds are counted.
  std::uint64_t round = 0;
  http_result result;
};

struct end_registration {};

// -- runs ------------------------------------------------------------------------------------------------------------------

/// Work that blocked is over: what the actor does now, in this order.
struct work_done {
  std::vector<std::function<void()>> then;
};

struct trigger_batch {
  std::vector<core::trigger_request> requests;
};

struct trigger_replies {
  /// As many as the requests, in their order.
  std::vector<core::trigger_reply> replies;
};

/// A run that executor_host found a body for. `body` differs from that of the job's worker when the handler or the source
/// changed.
struct job_trigger {
  core::trigger_request request;
  std::shared_ptr<const actors::run_body> body;
};

/// The worker ends: what runs is stopped, what waits never runs, each is reported with the reason and its suffix.
struct stop_worker {
  std::string reason;
  /// Only this run; 0: the one that the worker has and those that wait.
  core::log_id run{};
};

struct job_thread_query {};
struct job_thread_state {
  bool running = false;
  std::size_t waiting = 0;
};

/// A body came back, maybe long after its run was reported.
struct body_ended {
  /// Which of the job_thread's bodies: they are counted.
  std::uint64_t number = 0;
  core::run_outcome outcome = {};
};

/// A worker that was idle for long has ended; executor_host drops the job_thread if it has sent it nothing since.
struct job_quiet {
  core::job_id job{};
  /// Triggers that the job_thread had got.
  std::uint64_t triggers_seen = 0;
};

struct kill_job {
  core::job_id job{};
  /// Only this run; 0: all of the job.
  core::log_id run{};
};

struct idle_query {
  core::job_id job{};
};

/// Whether a run was taken.
struct taken_query {
  core::log_id run{};
  /// That of its request: its log is found by it.
  core::time_point log_time{};
  /// 0: nodes of earlier versions do not say it.
  core::job_id job{};
};

struct log_query {
  core::log_id run{};
  core::time_point log_time{};
  /// 1 is the first.
  std::int32_t from_line = 1;
};

struct drain_request {
  std::chrono::milliseconds limit{};
};

struct executor_state_query {};
struct executor_state {
  std::size_t job_threads = 0;
  std::size_t running = 0;
  std::size_t waiting = 0;
  /// Results that no admin has yet.
  std::size_t unreported = 0;
  std::uint64_t runs_taken = 0;
};

/// Who brings results before the admins are asked. It says so again whenever it has a new way to an admin.
struct callback_partners {
  link_dialer links;
};

// -- native links ----------------------------------------------------------------------------------------------------------
/// What became of dialling a node.
struct link_dialled {
  /// Attempts are counted.
  std::uint64_t attempt = 0;
  core::result<link_door> door;
};

/// What a node said at the gate of an attempt. An error: it is not to be believed.
struct link_heard {
  std::uint64_t attempt = 0;
  std::variant<link_welcome, link_refusal, link_receipt, core::error> said;
};

} // namespace ringmaster::protocol
