#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "protocol/caf.hpp"
#include "protocol/executor_interfaces.hpp"
#include "protocol/executor_messages.hpp"
#include "protocol/link_border.hpp"
#include "protocol/link_ports.hpp"

namespace ringmaster::actors {

/// How an executor introduces itself over one connection.
struct link_introduction {
  std::shared_ptr<protocol::link_ports> ports;
  protocol::link_door door;
  /// Without its gate. The node is heard alone, by the hello's key.
  protocol::link_hello hello;
  /// Proved, and asked of the node.
  std::string token;
};

/// What a node knows of its link on an executor: hears nothing before the node has proved that it knows the token, then brings
/// runs and questions to executor_host and the answers back. One for each attempt to link; its end is that of the link. It ends
/// itself when the node sends what no node sends.
class executor_gate_state {
public:
  static inline const char* name = "ringmaster.executor_gate";
  /// Batches and questions that executor_host has not answered yet. What comes beyond is not done and known to nobody.
  static constexpr std::size_t pending_max = 1000;

  /// `limit`: of an answer of executor_host.
  executor_gate_state(protocol::executor_gate::pointer self, protocol::link_dialer dialer, std::uint64_t attempt,
                      link_introduction introduction, protocol::executor_host host, std::chrono::milliseconds limit);
  protocol::executor_gate::behavior_type make_behavior();

private:
  /// Whether it is the node that says so. What others say has no effect.
  template <class Message>
  [[nodiscard]] bool is_from_node(const Message& message) const {
    return message.key == introduction_.hello.gate_key;
  }
  void prove(const protocol::link_challenge& challenge);
  void believe(const protocol::link_welcome& welcome);
  /// The proof of one end; empty when the connection is gone.
  [[nodiscard]] std::string proof_of(protocol::link_end end) const;
  /// Whether it may be acted on.
  template <class Message>
  [[nodiscard]] bool admits(const Message& message);
  void trigger(protocol::link_runs&& batch);
  void say_unknown(std::uint64_t batch, std::size_t count, const std::string& why);
  void answer(const protocol::link_question& question);
  template <class Reply, class Request>
  void ask_host(const protocol::link_question& question, Request&& request);
  void say(protocol::link_answer&& answer);
  /// To the node, with its key.
  template <class Message>
  void tell_node(Message&& message);
  template <class Said>
  void tell_dialer(Said&& said);

  protocol::executor_gate::pointer self_;
  protocol::link_dialer dialer_;
  std::uint64_t attempt_;
  link_introduction introduction_;
  std::optional<protocol::link_key> challenge_;
  protocol::executor_host host_;
  std::chrono::milliseconds limit_;
  protocol::link_gate node_;
  protocol::link_key node_key_;
  std::size_t pending_ = 0;
};

/// The first lines of `lines`, as many as `bytes` hold; of a first line that is longer, its beginning.
void cut_lines(core::log_lines& lines, std::size_t bytes);

} // namespace ringmaster::actors
