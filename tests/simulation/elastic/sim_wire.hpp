#pragma once

// A native link between a process of a host and a process of a node, after its handshake. The node's end keeps the rules of a
// real one: what may leave while the gate is closed, and which messages of a host pass.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "actors/executors/host_relay.hpp"
#include "protocol/caf.hpp"
#include "protocol/elastic_messages.hpp"
#include "tests/simulation/history.hpp"

namespace ringmaster::simulation::elastic {

class job_world;
class sim_process;
class host_process;
class node_process;

/// Messages in one direction: they arrive in their order.
class wire_lane {
public:
  /// `is_blocked`: nothing arrives at present; messages arrive later.
  wire_lane(job_world& world, std::function<bool()> is_blocked) : world_{world}, is_blocked_{std::move(is_blocked)} {}

  /// `owner` lives until the message has arrived.
  void send(const std::shared_ptr<void>& owner, std::function<void()> what);
  /// Drops the messages that have not arrived.
  void clear() { waiting_.clear(); }

private:
  void arrive(const std::shared_ptr<void>& owner);

  struct message {
    span when;
    std::function<void()> what;
  };
  job_world& world_;
  std::function<bool()> is_blocked_;
  std::deque<message> waiting_;
  span last_{0};
  bool armed_ = false;
};

class sim_wire : public std::enable_shared_from_this<sim_wire> {
public:
  using to_host = decltype(protocol::node_said::said);
  using to_node = decltype(protocol::node_message::what);

  sim_wire(job_world& world, const std::shared_ptr<host_process>& host, const std::shared_ptr<node_process>& node,
           std::uint64_t number);

  /// Connects.
  void open();
  /// Returns whether the host's end is there: connecting, or up.
  [[nodiscard]] bool is_up() const noexcept { return host_end_; }
  /// Returns whether both ends are gone.
  [[nodiscard]] bool is_over() const noexcept { return !host_end_ && !node_end_; }
  [[nodiscard]] int host() const noexcept { return host_number_; }
  [[nodiscard]] int node() const noexcept { return node_number_; }
  [[nodiscard]] bool joins(const sim_process* process) const;

  /// Sends a message of the host.
  void say(to_node what);
  /// The host announces that it stops.
  void say_goodbye();
  /// Breaks the connection: messages on their way are lost, and both ends are notified.
  void lose();
  /// Drops all messages on their way, which hold this object.
  void drop_messages();
  /// One of the processes has ended: its kernel tells the other one.
  void end_of(const sim_process* process);

private:
  [[nodiscard]] protocol::host_link spawn_end(node_process& node);
  void at_host(std::function<void(host_process&)> what);
  void at_node(std::function<void(node_process&)> what);
  void leave(protocol::host_message& message);
  void hear(to_host what);
  /// Keeps grants that find no process for the next process of the host, if a mutant wants it.
  void keep_for_next_process(const to_host& what);
  void deliver(host_process& host, to_host what);
  void deliver(node_process& node, to_node what);
  void end_at_host();
  template <class Messages>
  void say_in_trace(const Messages& what, int host, int node, const char* way) const;
  void end_at_node();

  job_world& world_;
  std::weak_ptr<host_process> host_;
  std::weak_ptr<node_process> node_;
  int host_number_;
  int node_number_;
  std::uint64_t number_;
  bool host_end_ = true;
  bool node_end_ = true;
  wire_lane to_node_;
  wire_lane to_host_;
  /// Events of the batches without a receipt.
  std::map<std::uint64_t, std::vector<protocol::elastic_event>> batches_;
  std::string address_;
  actors::host_relay relay_;
  /// In the node's actor system.
  protocol::host_link end_;
};

} // namespace ringmaster::simulation::elastic
