#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "actors/logger.hpp"
#include "protocol/caf.hpp"
#include "protocol/elastic_border.hpp"
#include "protocol/elastic_messages.hpp"
#include "protocol/executor_interfaces.hpp"
#include "protocol/executor_messages.hpp"
#include "protocol/link_border.hpp"
#include "protocol/link_ports.hpp"

namespace ringmaster::actors {

/// The data with which an executor introduces itself over one connection.
struct link_introduction {
  std::shared_ptr<protocol::link_ports> ports;
  protocol::link_door door;
  /// Without its gate. Only messages with the key of this hello are accepted as the node's.
  protocol::link_hello hello;
  /// Proved to the node, and to be proved by it.
  std::string token;
  /// Gets the messages of elastic jobs; null: this process runs none.
  protocol::elastic_host elastic = {};
  logger log = {};
};

/// The address of an executor's link for a node. It ignores everything until the node has proved that it knows the token. Then it
/// passes runs and requests to executor_host and returns the replies; it passes messages of elastic jobs to elastic_host. One per
/// attempt to link; its end is the end of the link. It ends itself when the peer sends a message that a node never sends.
class executor_gate_state {
public:
  static inline const char* name = "ringmaster.executor_gate";
  /// Batches and requests that executor_host has not answered yet. Further ones are not passed on, and are answered
  /// as unknown (code 0).
  static constexpr std::size_t pending_max = 1000;

  /// `limit`: time limit for a reply of executor_host.
  executor_gate_state(protocol::executor_link_end::pointer self, protocol::link_dialer dialer, std::uint64_t attempt,
                      link_introduction introduction, protocol::executor_host host, std::chrono::milliseconds limit);
  protocol::executor_link_end::behavior_type make_behavior();

private:
  /// Returns whether the message has the node's key. Other messages have no effect.
  template <class Message>
  [[nodiscard]] bool is_from_node(const Message& message) const {
    return message.key == introduction_.hello.gate_key;
  }
  void prove(const protocol::link_challenge& challenge);
  void believe(const protocol::link_welcome& welcome);
  /// Returns the proof of one end; empty when the connection is gone.
  [[nodiscard]] std::string proof_of(protocol::link_end end) const;
  /// Returns whether the message may be acted on.
  template <class Message>
  [[nodiscard]] bool admits(const Message& message);
  void trigger(protocol::link_runs&& batch);
  void say_unknown(std::uint64_t batch, std::size_t count, const std::string& why);
  void answer(const protocol::link_question& question);
  template <class Reply, class Request>
  void ask_host(const protocol::link_question& question, Request&& request);
  void say(protocol::link_answer&& answer);
  /// Passes a message of elastic jobs on to elastic_host.
  template <class Message>
  void pass_on(Message&& message);
  void tell_node(protocol::node_message&& message);
  [[nodiscard]] bool speaks_elastic() const noexcept;
  /// Sends a message with the node's key.
  template <class Message>
  void tell_node(Message&& message);
  template <class Said>
  void tell_dialer(Said&& said);

  protocol::executor_link_end::pointer self_;
  protocol::link_dialer dialer_;
  std::uint64_t attempt_;
  link_introduction introduction_;
  std::optional<protocol::link_key> challenge_;
  protocol::executor_host host_;
  std::chrono::milliseconds limit_;
  protocol::link_gate node_;
  protocol::link_key node_key_;
  std::size_t pending_ = 0;
  /// An unwanted message of elastic jobs was logged.
  bool logged_ = false;
};

/// Keeps the first lines that fit into `bytes`; cuts the first line if it is longer.
void cut_lines(core::log_lines& lines, std::size_t bytes);

} // namespace ringmaster::actors
