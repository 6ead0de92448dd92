#pragma once

// Both ends of native links without a network: ports that lead from a dialler to the entry point of the same world, and an
// executor_host that stores the questions it gets.

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <caf/all.hpp>

#include "protocol/caf.hpp"
#include "protocol/executor_interfaces.hpp"
#include "protocol/executor_messages.hpp"
#include "protocol/link_border.hpp"
#include "protocol/link_ports.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::test {

struct scripted_ports final : protocol::link_ports {
  protocol::link_door door;
  /// Reason why no dial succeeds; empty: all succeed.
  std::string trouble;
  /// Never answers a dial.
  bool silent = false;
  std::vector<std::string> dialled_addresses;
  std::size_t published = 0;
  /// Reason why no peer can knock; empty: all can.
  std::string closed;

  core::result<void> publish(const protocol::link_door& which) override {
    ++published;
    if (!closed.empty())
      return core::fail(core::errc::unavailable, closed);
    door = which;
    return {};
  }

  /// Remote address of every peer.
  std::string remote = "10.0.0.3:41234";
  std::size_t admitted = 0;
  std::size_t guests_ended = 0;

  std::string remote_of(const caf::node_id&) const override { return remote; }
  /// Channel binding of every connection; empty: there is none.
  std::string binding = "binding";
  std::string seal(const caf::node_id&, std::string_view key, std::string_view text) const override {
    return binding.empty() ? std::string{} : seal_of(binding, key, text);
  }
  /// Replaces HMAC-SHA256, with a result of the same length.
  static std::string seal_of(const std::string& binding, std::string_view key, std::string_view text) {
    const auto whole = std::string{binding}.append("\n").append(key).append("\n").append(text);
    auto proof = std::to_string(std::hash<std::string>{}(whole));
    proof.resize(protocol::link_limits::proof_bytes, '.');
    return proof;
  }
  void admit(const caf::node_id&) override { ++admitted; }
  void end_guests() override { ++guests_ended; }

  void dial(const std::string& address, std::chrono::milliseconds, dialled done) override {
    dialled_addresses.push_back(address);
    if (silent)
      return;
    if (!trouble.empty() || !door)
      return done(core::fail(core::errc::unavailable, trouble));
    done(protocol::link_door{door});
  }
};

struct host_record {
  std::vector<core::trigger_request> runs;
  /// `idle 7`, `kill 7`, `log 12 from 3`.
  std::vector<std::string> questions;
  /// Answer to a run; null: 200 the first time, the text about a repeated log id after that.
  std::function<core::trigger_reply(const core::trigger_request&)> verdict;
  core::trigger_reply idle;
  core::trigger_reply taken;
  core::trigger_reply kill;
  core::log_lines log;
  /// Leaves batches unanswered.
  bool silent = false;
  std::vector<caf::typed_response_promise<protocol::trigger_replies>> unanswered;
  std::set<core::log_id> known;

  core::trigger_reply reply_to(const core::trigger_request& run) {
    runs.push_back(run);
    if (verdict)
      return verdict(run);
    if (known.insert(run.run).second)
      return {};
    return {500, "repeate trigger job, logId:" + std::to_string(core::number(run.run))};
  }
};

inline protocol::executor_host::behavior_type host_double(protocol::executor_host::pointer self,
                                                          std::shared_ptr<host_record> record) {
  const auto note = [record](const char* what, auto id) {
    record->questions.push_back(what + std::string{" "} + std::to_string(core::number(id)));
  };
  return {
    [self, record](protocol::trigger_batch& batch) -> caf::result<protocol::trigger_replies> {
      protocol::trigger_replies told;
      for (const auto& run : batch.requests)
        told.replies.push_back(record->reply_to(run));
      if (!record->silent)
        return told;
      record->unanswered.push_back(self->make_response_promise<protocol::trigger_replies>());
      return record->unanswered.back();
    },
    [record, note](const protocol::kill_job& job) {
      note("kill", job.job);
      return record->kill;
    },
    [record, note](const protocol::idle_query& job) {
      note("idle", job.job);
      return record->idle;
    },
    [record, note](const protocol::taken_query& query) {
      note("taken", query.run);
      return record->taken;
    },
    [record, note](const protocol::log_query& query) {
      note("log", query.run);
      record->questions.back() += " from " + std::to_string(query.from_line);
      if (query.bounds)
        record->questions.back() += ", " + std::to_string(query.bounds->bytes) + " bytes";
      return record->log;
    },
    [](const protocol::drain_request&) {},
    [](protocol::executor_state_query) { return protocol::executor_state{}; },
    [](const protocol::job_quiet&) {},
    [](protocol::work_done&) {},
    [](protocol::tick_atom) {},
  };
}

} // namespace ringmaster::test
