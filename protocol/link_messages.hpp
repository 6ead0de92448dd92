#pragma once

// Messages of a native link. Frozen with link_type_ids.hpp.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/trigger_request.hpp"
#include "protocol/link_interfaces.hpp"

namespace ringmaster::protocol {

/// Raised with every change of the link's messages.
inline constexpr std::uint32_t link_version = 5;
/// Oldest version that is understood. Messages of that version keep their bytes; later ones are not sent to a peer of it.
/// Executor and node without a common version do not link; they use HTTP.
inline constexpr std::uint32_t link_version_min = 4;
/// First version with the messages of elastic jobs.
inline constexpr std::uint32_t elastic_link_version = 5;
/// Identifier of the link for CAF, which compares it before anything else is read.
inline constexpr std::string_view link_identifier = "ringmaster.link.v1";

/// Random key for one direction of one link. CAF delivers a message to any actor that its sender names by a number, and such
/// numbers can be guessed. A message without the key is not from the other end of the link, and is ignored.
struct link_key {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  friend auto operator<=>(const link_key&, const link_key&) = default;
};

// Hello and refusal keep their layout in all versions, so that ends of two versions can refuse each other with a text.

/// Begins a link: an executor introduces itself.
struct link_hello {
  std::uint32_t version = link_version;
  std::string app_name;
  /// Address as registered: its HTTP address, or `ringmaster://app/instance` without one.
  std::string address;
  /// Empty. Version 2 sent its token here.
  std::string unused;
  /// Executor's end of this link.
  executor_gate gate;
  /// Must be shown by every message to the gate. Drawn for this hello only.
  link_key gate_key = {};
};

/// Asks the executor for a proof that it knows the access token. The token itself is never sent.
struct link_challenge {
  /// Drawn for this challenge only.
  link_key nonce = {};
  link_key key = {};
};

/// Answers a challenge.
struct link_proof {
  /// Nonce of the challenge.
  link_key nonce = {};
  /// `link_ports::seal` of the executor's `proof_text`, with the token as key.
  std::string proof;
};

struct link_welcome {
  link_gate gate;
  /// Must be shown by every message to the gate.
  link_key gate_key = {};
  /// `link_ports::seal` of the node's `proof_text`, with the same token as key. Without it the executor accepts nothing.
  std::string proof;
  link_key key = {};
};

struct link_refusal {
  /// Text for operators.
  std::string reason;
  link_key key = {};
};

/// Runs that may begin now.
struct link_runs {
  /// Counted by the node, for each link from 1.
  std::uint64_t batch = 0;
  std::vector<core::trigger_request> runs;
  link_key key = {};
};

struct link_verdicts {
  std::uint64_t batch = 0;
  /// One for each run, in their order.
  std::vector<core::trigger_reply> replies;
  link_key key = {};
};

enum class link_topic : std::uint8_t {
  beat,
  idle,
  kill,
  log,
  /// 200: the run was accepted here, now or before; 404: it never came; else that is not known now.
  known,
};

struct link_question {
  /// Counted by the node, for each link from 1.
  std::uint64_t number = 0;
  link_topic topic = link_topic::beat;
  /// Used by `idle`, `kill` and `known`; 0 there: not given.
  core::job_id job{};
  /// Used by `log` and `known`; by `kill`: only this run, 0: all runs of the job.
  core::log_id run{};
  core::time_point log_time{};
  /// Used by `log`.
  std::int32_t from_line = 1;
  std::optional<core::log_bounds> bounds = {};
  link_key key = {};
};

struct link_answer {
  std::uint64_t number = 0;
  core::trigger_reply reply;
  /// Present for `log`, when the log can be read.
  std::optional<core::log_lines> lines = {};
  link_key key = {};
};

/// Results on their way to the node that stores them.
struct link_reports {
  /// Counted by the executor, for each link from 1.
  std::uint64_t batch = 0;
  std::vector<core::run_report> reports;
  link_key key = {};
};

struct link_receipt {
  std::uint64_t batch = 0;
  /// The results are durable. False: not now, and the executor keeps them.
  bool kept = false;
  link_key key = {};
};

struct link_goodbye {
  link_key key = {};
};

} // namespace ringmaster::protocol
