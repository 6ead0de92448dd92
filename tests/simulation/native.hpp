#pragma once

// A native link: the executor's end of it, and the messages between the two ends.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "actors/executors/run_gate.hpp"
#include "core/run/run.hpp"
#include "core/run/trigger_request.hpp"
#include "protocol/caf.hpp"
#include "protocol/link_messages.hpp"
#include "protocol/link_ports.hpp"
#include "tests/simulation/checker.hpp"
#include "tests/simulation/history.hpp"

namespace ringmaster::simulation {

/// Direction of a message: from a node to an executor, or back.
inline constexpr span hop{500'000};

class world;
class sim_node;
class sim_executor;

/// The network as the links of a node see it: executors find the published entry point.
class node_ports final : public protocol::link_ports {
public:
  explicit node_ports(protocol::link_door& published) : door_{published} {}

  core::result<void> publish(const protocol::link_door& door) override;
  [[nodiscard]] std::string remote_of(const caf::node_id& peer) const override;
  [[nodiscard]] std::string seal(const caf::node_id& peer, std::string_view key, std::string_view text) const override;
  void admit(const caf::node_id&) override {}
  void end_guests() override {}
  void dial(const std::string& address, std::chrono::milliseconds limit, dialled done) override;

private:
  protocol::link_door& door_;
};

/// Gate of the native links of a node, which notes when it lets a run pass.
class node_gate final : public actors::run_gate {
public:
  node_gate(sim_node& of, std::shared_ptr<const protocol::send_gate> gate);
  [[nodiscard]] bool is_open_for(const core::claimed_run& run) const override;

private:
  sim_node& node_;
};

/// Messages in one direction: they arrive in their order.
class link_lane {
public:
  /// `is_blocked`: nothing arrives at present; messages arrive later.
  link_lane(world& in, std::function<bool()> is_blocked) : world_{in}, is_blocked_{std::move(is_blocked)} {}

  /// `owner` lives until the message has arrived.
  void send(const std::shared_ptr<void>& owner, span takes, std::function<void()> what);
  /// Drops the messages that have not arrived.
  void clear() {
    waiting_.clear();
    last_ = span{0};
  }

private:
  void arrive(const std::shared_ptr<void>& owner);

  world& world_;
  std::function<bool()> is_blocked_;
  struct message {
    span when;
    std::function<void()> what;
  };
  std::deque<message> waiting_;
  span last_{0};
  bool armed_ = false;
};

/// One link between an executor and a process of a node. The node's end talks to an actor in its own system that represents the
/// executor's gate.
class sim_link : public std::enable_shared_from_this<sim_link> {
public:
  sim_link(world& in, sim_node& node, sim_executor& executor);

  // -- the executor's end
  [[nodiscard]] bool is_up() const noexcept { return there_ && welcomed_; }
  [[nodiscard]] bool is_over() const noexcept { return !there_; }
  [[nodiscard]] span begun() const noexcept { return begun_; }
  /// Returns whether more results may be sent before there are acknowledgements.
  [[nodiscard]] bool has_room() const noexcept { return unconfirmed_.size() < unconfirmed_max; }
  /// Calls `then` with whether the result is durable; never, if the link is cut before.
  void report(core::run_report result, std::function<void(bool)> then);
  /// Ends the executor's end, because its process is gone or has another link: messages are not read any more.
  void leave();

  // -- the node's end
  /// Sends a hello to the entry point of a node; does nothing if `door` is null.
  void greet(caf::actor_system& system, const protocol::link_door& door);
  /// Ends the node's end, because its process is gone.
  void forget_node();

private:
  static constexpr std::size_t unconfirmed_max = 8;

  [[nodiscard]] protocol::executor_gate spawn_gate(caf::actor_system& system);
  void prove(const protocol::link_key& nonce);
  void carry(protocol::link_runs&& batch);
  /// A batch, with the passage of each run through the node's gate.
  struct load {
    protocol::link_runs batch;
    std::vector<gate_passage> passages;
  };
  void transmit(const std::shared_ptr<const load>& sent, const fault* meets);
  void take(const protocol::link_runs& batch, span written, span answer_takes, bool cut_after);
  void answer(const protocol::link_question& question);
  void confirm(const protocol::link_receipt& receipt);
  /// Breaks the connection: messages in progress are lost, and both ends are notified.
  void cut();
  /// Notifies the node of the end.
  void end_at_node();
  void to_executor(std::function<void()> what, span takes = span{0});
  /// Runs `what` in the node's process, if that is there and has the link.
  void to_node(std::function<void()> what, span takes = span{0});
  template <class Message>
  void say(Message message, span takes = span{0});

  world& world_;
  sim_node& node_;
  sim_executor& executor_;
  span begun_;
  bool there_ = true;
  bool welcomed_ = false;
  link_lane to_executor_;
  link_lane to_node_;
  protocol::link_hello hello_;
  std::map<std::uint64_t, std::function<void(bool)>> unconfirmed_;
  std::uint64_t last_report_ = 0;
  // In the node's actor system.
  protocol::link_door door_;
  protocol::executor_gate gate_there_;
  protocol::link_gate gate_;
  protocol::link_key gate_key_ = {};
};

} // namespace ringmaster::simulation
