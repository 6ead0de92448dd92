#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include "actors/executors/executor_link.hpp"
#include "actors/executors/link_admission.hpp"
#include "actors/executors/waiting_run.hpp"
#include "actors/logger.hpp"
#include "protocol/caf.hpp"
#include "protocol/link_border.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// What the links of a node share.
struct native_link_tools {
  link_tools http;
  protocol::trigger_pool pool;
  protocol::completion_actor completion;
  /// For a result to be stored.
  std::chrono::milliseconds store_limit{10'000};
  /// CLOCK_BOOTTIME, which the gate is read by.
  std::function<std::int64_t()> boot;
  logger log;
};

/// Who is at the other end.
struct native_peer {
  /// Of the links of this node.
  std::uint64_t number = 0;
  std::string app_name;
  std::string address;
  link_admission admitted;
  protocol::executor_gate gate;
  protocol::link_key gate_key = {};
  /// That this node knows the token.
  std::string proof;
};

/// What goes over at once, and how much may be on its way or wait.
struct link_windows {
  static constexpr std::size_t runs_on_their_way = 2048;
  static constexpr std::size_t bytes_on_their_way = 8 * 1024 * 1024;
  static constexpr std::size_t runs_waiting = 65'536;
  static constexpr std::size_t questions = 1000;
  /// Batches of results that the store has not taken yet.
  static constexpr std::size_t reports = 16;
  /// Runs that are known to be this executor's, when it has a group's token.
  static constexpr std::size_t runs_remembered = 200'000;
};

/// The native link of one executor, on the node. Runs leave in batches, each with a deadline of its own; a window bounds what is
/// on its way. When the link is cut, what was on its way is unknown, as over HTTP, and what was not goes to the link that the
/// executor's address has then.
///
/// Peers never learn of this actor: they speak to a gate in front of it, whose end is no more than that of the link.
class native_link_state {
public:
  static inline const char* name = "ringmaster.native_link";

  native_link_state(protocol::native_link::pointer self, native_link_tools tools, native_peer peer, protocol::native_links owner);
  ~native_link_state();
  protocol::native_link::behavior_type make_behavior();

private:
  using steady = protocol::wall_clock::steady;

  using runs_elsewhere = std::vector<waiting_run>;
  struct flight {
    /// None any more when their deadline is over.
    std::vector<waiting_run> runs;
    steady sent{};
    /// What it takes of the windows until its verdicts are there: nobody knows whether it has left this node.
    std::size_t count = 0;
    std::size_t bytes = 0;
  };
  using probe_promise = caf::typed_response_promise<protocol::probe_reply>;
  using log_promise = caf::typed_response_promise<protocol::log_reply>;
  struct asked_question {
    std::variant<probe_promise, log_promise> promise;
    steady until{};
    protocol::link_topic topic = protocol::link_topic::beat;
  };
  /// Results by whom they are for.
  class told_results;

  // Runs.
  void send_runs(protocol::send_batch&& batch);
  void pump();
  [[nodiscard]] bool gate_open(const core::claimed_run& run) const;
  [[nodiscard]] bool has_room(std::size_t count, std::size_t bytes) const noexcept;
  void leave(std::vector<waiting_run>&& runs, std::size_t bytes);
  void take(const protocol::link_verdicts& batch);
  /// Why this link does not carry it; empty: it does.
  [[nodiscard]] std::string obstacle_to(const core::claimed_run& run) const;
  void pass_on(runs_elsewhere&& runs);
  void hand_over(runs_elsewhere&& runs, const protocol::executor_link& to);
  void send_over_http(runs_elsewhere&& runs);
  void find_fallback(bool http_only);
  void have_fallback(protocol::executor_link link);
  void sweep_runs();
  void give_up_runs(const std::string& why);

  // Questions.
  caf::result<protocol::probe_reply> probe(const protocol::probe_request& request);
  caf::result<protocol::probe_reply> kill(const protocol::kill_request& request);
  caf::result<protocol::log_reply> read_log(const protocol::log_request& request);
  /// A group's token answers for runs of the group alone.
  [[nodiscard]] bool may_answer(core::group_id group, protocol::link_topic topic) const;
  template <class Reply, class Request>
  caf::result<Reply> ask(const Request& request, protocol::link_question&& question);
  template <class Reply, class Request>
  void ask_fallback(const Request& request, caf::typed_response_promise<Reply> promise, bool http_only = false);
  void take(protocol::link_answer&& answer);
  void sweep_questions();
  void give_up_questions(const std::string& why);
  static void give_up(asked_question& question, const std::string& why);

  // Results.
  void take(protocol::link_reports&& batch);
  void acknowledge(std::uint64_t batch, bool kept);
  void remember(core::log_id run);

  // The link.
  /// To the executor, with its key.
  template <class Message>
  void tell_peer(Message&& message) {
    message.key = peer_.gate_key;
    protocol::anon_send(peer_.gate, std::forward<Message>(message));
  }
  /// Something that no executor of ours sends: cuts the link.
  [[nodiscard]] bool breaks(const std::string& breach);
  void lose(const std::string& why);
  void stop_sending();
  /// What is passed on to it would come back for ever.
  [[nodiscard]] bool is_self(const protocol::executor_link& link) const;
  /// Gives up what waits for too long.
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
  /// Takes runs and questions; `connected_`: answers may still come.
  bool up_ = true;
  bool connected_ = true;
  /// Where runs and questions go that come later.
  protocol::executor_link fallback_;

  /// By the time at which they may leave.
  std::multimap<steady, waiting_run> waiting_;
  std::map<std::uint64_t, flight> flights_;
  std::size_t on_their_way_ = 0;
  std::size_t bytes_on_their_way_ = 0;
  /// A run that may leave has no room.
  bool full_ = false;
  std::uint64_t last_batch_ = 0;
  std::map<std::uint64_t, asked_question> questions_;
  std::uint64_t last_question_ = 0;
  std::size_t unstored_ = 0;
  std::unordered_set<core::log_id> sent_;
  std::deque<core::log_id> sent_order_;
  std::optional<steady> armed_;
};

} // namespace ringmaster::actors
