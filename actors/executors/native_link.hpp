#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/executors/host_relay.hpp"
#include "actors/executors/link_admission.hpp"
#include "actors/executors/link_questions.hpp"
#include "actors/executors/run_flights.hpp"
#include "actors/executors/run_gate.hpp"
#include "actors/executors/sent_ids.hpp"
#include "actors/executors/waiting_run.hpp"
#include "actors/logger.hpp"
#include "config/settings.hpp"
#include "protocol/caf.hpp"
#include "protocol/elastic_messages.hpp"
#include "protocol/link_border.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Parts that all native links of a node share.
struct native_link_tools {
  config::trigger_settings settings;
  protocol::trigger_pool pool;
  protocol::completion_actor completion;
  /// Longest wait until a result is stored.
  std::chrono::milliseconds store_limit{10'000};
  /// Asked directly before a run is written. Never null.
  std::shared_ptr<const run_gate> gate;
  logger log;
};

/// Executor at the other end.
struct native_peer {
  /// Number among the links of this node.
  std::uint64_t number = 0;
  std::string app_name;
  std::string address;
  link_admission admitted;
  protocol::executor_gate gate;
  protocol::link_key gate_key = {};
  /// Proof that this node knows the token.
  std::string proof;
  /// Version of the link, as the hello of the peer says.
  std::uint32_t version = protocol::link_version;
  /// Receives messages of elastic jobs; null: nothing does yet.
  protocol::link_extension hosts = {};
};

/// Limits in addition to those of run_flights and link_questions.
struct link_windows {
  static constexpr std::size_t runs_waiting = 65'536;
  /// Batches of results that the store has not accepted yet.
  static constexpr std::size_t reports = 16;
  /// Runs that are remembered as sent to this executor, if it has a group's token.
  static constexpr std::size_t runs_remembered = 200'000;
};

/// Native link of one executor, on the node. Runs leave in batches, each with its own deadline; a window limits the runs on their
/// way. When the link is cut, runs on their way become unknown, as over HTTP. All others return to the pool.
///
/// Peers never see this actor: they speak to a gate in front of it, and closing the gate only ends the link.
class native_link_state {
public:
  static inline const char* name = "ringmaster.native_link";

  native_link_state(protocol::native_link::pointer self, native_link_tools tools, native_peer peer, protocol::native_links owner);
  ~native_link_state();
  protocol::native_link::behavior_type make_behavior();

private:
  using steady = protocol::wall_clock::steady;

  enum class phase : std::uint8_t {
    /// Takes runs and questions.
    up,
    /// Takes none; answers and results may still come.
    leaving,
    cut,
  };
  /// Results grouped by listener.
  class told_results;

  // Runs.
  void send_runs(protocol::send_batch&& batch);
  void pump();
  void leave(std::vector<waiting_run>&& runs, std::size_t bytes);
  void take(const protocol::link_verdicts& batch);
  /// Returns why this link cannot carry the run; empty: it can.
  [[nodiscard]] std::string obstacle_to(const core::claimed_run& run) const;
  void return_runs(std::vector<waiting_run>&& runs);
  void sweep_runs();
  void give_up_runs(const std::string& why);

  // Questions.
  caf::result<protocol::probe_reply> probe(const protocol::probe_request& request);
  caf::result<protocol::probe_reply> kill(const protocol::kill_request& request);
  caf::result<protocol::log_reply> read_log(const protocol::log_request& request);
  /// Returns true if the executor may answer for the group: with a group's token it answers only for runs of that group.
  [[nodiscard]] bool may_answer(core::group_id group, protocol::link_topic topic) const;
  template <class Reply, class Request>
  caf::result<Reply> ask(const Request& request, protocol::link_question&& question);
  template <class Reply, class Request>
  void ask_elsewhere(const Request& request, caf::typed_response_promise<Reply> promise);

  // Results.
  void take(protocol::link_reports&& batch);
  void acknowledge(std::uint64_t batch, bool kept);

  // Elastic jobs.
  template <class Message>
  void hear(Message&& message);
  /// Passes a message on to elastic_hosts.
  template <class Said>
  void pass_on(Said&& said);
  template <class Message>
  void refuse_host(const Message& message);
  void tell_host(protocol::host_message&& message);
  [[nodiscard]] protocol::host_rights rights() const { return {peer_.admitted.token, peer_.admitted.groups}; }
  void learn_groups(const protocol::registry_change& change);

  // The link.
  /// Sends a message to the executor, with its key.
  template <class Message>
  void tell_peer(Message&& message) {
    message.key = peer_.gate_key;
    protocol::anon_send(peer_.gate, std::forward<Message>(message));
  }
  /// Cuts the link if `breach` is not empty: the peer sent something that no Ringmaster executor sends.
  [[nodiscard]] bool breaks(const std::string& breach);
  void lose(const std::string& why);
  void stop_sending();
  /// Gives up what has waited for too long.
  void sweep();
  void tick();
  void arm();
  [[nodiscard]] steady now() const { return self_->clock().now(); }

  protocol::native_link::pointer self_;
  native_link_tools tools_;
  native_peer peer_;
  protocol::native_links owner_;
  protocol::link_gate gate_;
  protocol::watcher watcher_;
  phase phase_ = phase::up;

  /// Waiting runs by the time at which they may leave. Empty once the link accepts no runs.
  runs_by_time waiting_;
  run_flights flights_;
  /// There is no room for a run that may leave.
  bool full_ = false;
  link_questions questions_;
  /// Batches of results that the store has not answered.
  std::size_t unstored_ = 0;
  /// Runs that an executor with a group's token may report, whatever their group.
  sent_ids sent_{link_windows::runs_remembered};
  host_relay hosts_;
  std::optional<steady> armed_;
};

} // namespace ringmaster::actors
