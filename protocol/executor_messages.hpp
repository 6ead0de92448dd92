#pragma once

// Payloads of an executor process. All stay inside it; messages over a link are in link_messages.hpp.

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

/// Registers the address that admins send runs to, or withdraws it.
struct admin_registration {
  std::string address;
  bool remove = false;
};

struct report_batch {
  std::shared_ptr<const std::vector<core::run_report>> reports;
};

/// Outcome of one round through the admins.
struct admin_answer {
  bool accepted = false;
  /// Base address of the admin that accepted; empty without one.
  std::string accepted_by = {};
  /// True when any admin answered, with whatever content.
  bool reached = false;
  /// Refusals of the admins that did not accept, in their order and as the log of a run shows them.
  std::vector<std::string> refusals;
};

struct admin_replied {
  /// Number of the round.
  std::uint64_t round = 0;
  http_result result;
};

struct end_registration {};

// -- runs ------------------------------------------------------------------------------------------------------------------

/// Work that blocked has ended: the actor now calls these, in this order.
struct work_done {
  std::vector<std::function<void()>> then;
};

struct trigger_batch {
  std::vector<core::trigger_request> requests;
};

struct trigger_replies {
  /// One for each request, in their order.
  std::vector<core::trigger_reply> replies;
};

/// A run that executor_host found a body for. `body` differs from that of the job's worker when the handler or the source
/// changed.
struct job_trigger {
  core::trigger_request request;
  std::shared_ptr<const actors::run_body> body;
};

/// Ends the worker: the current run is stopped, waiting runs never start, each is reported with the reason and its suffix.
struct stop_worker {
  std::string reason;
  /// Only this run; 0: the worker's current run and the waiting ones.
  core::log_id run{};
};

struct job_thread_query {};
struct job_thread_state {
  bool running = false;
  std::size_t waiting = 0;
};

/// A body returned, maybe long after its run was reported.
struct body_ended {
  /// Number of the body within its job_thread.
  std::uint64_t number = 0;
  core::run_outcome outcome = {};
};

/// A worker that was idle for long has ended; executor_host drops the job_thread if it has sent it nothing since.
struct job_quiet {
  core::job_id job{};
  /// Triggers that the job_thread has received.
  std::uint64_t triggers_seen = 0;
};

struct kill_job {
  core::job_id job{};
  /// Only this run; 0: all runs of the job.
  core::log_id run{};
};

struct idle_query {
  core::job_id job{};
};

/// Asks whether a run was accepted.
struct taken_query {
  core::log_id run{};
  /// Log time of the run's request: its log is found by it.
  core::time_point log_time{};
  /// 0: nodes of earlier versions do not send it.
  core::job_id job{};
};

struct log_query {
  core::log_id run{};
  core::time_point log_time{};
  /// Number of the first line to read, counted from 1.
  std::int32_t from_line = 1;
  std::optional<core::log_bounds> bounds = {};
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

/// Sets the link_dialer that brings results before the admins are asked. Sent again whenever there is a new way to an admin.
struct callback_partners {
  link_dialer links;
};

// -- native links ----------------------------------------------------------------------------------------------------------
/// Outcome of connecting to a node.
struct link_dialled {
  /// Number of the attempt.
  std::uint64_t attempt = 0;
  core::result<link_door> door;
};

/// Message of a node at the gate of an attempt. An error: the node is not to be trusted.
struct link_heard {
  std::uint64_t attempt = 0;
  std::variant<link_welcome, link_refusal, link_receipt, core::error> said;
};

} // namespace ringmaster::protocol
