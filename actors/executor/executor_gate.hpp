#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "protocol/caf.hpp"
#include "protocol/executor_interfaces.hpp"
#include "protocol/executor_messages.hpp"
#include "protocol/link_border.hpp"

namespace ringmaster::actors {

/// What a node knows of its link on an executor: brings runs and questions to executor_host and the answers back. One for each
/// attempt to link; its end is that of the link. It ends itself when the node sends what no node sends.
class executor_gate_state {
public:
  static inline const char* name = "ringmaster.executor_gate";
  /// Batches and questions that executor_host has not answered yet.
  static constexpr std::size_t pending_max = 1000;

  /// `limit`: of an answer of executor_host.
  executor_gate_state(protocol::executor_gate::pointer self, protocol::link_dialer dialer, std::uint64_t attempt,
                      protocol::executor_host host, std::chrono::milliseconds limit);
  protocol::executor_gate::behavior_type make_behavior();

private:
  /// Whether it may be acted on.
  template <class Message>
  [[nodiscard]] bool admits(const Message& message);
  void trigger(protocol::link_runs&& batch);
  void answer(const protocol::link_question& question);
  template <class Reply, class Request>
  void ask_host(const protocol::link_question& question, Request&& request);
  void say(protocol::link_answer&& answer);
  template <class Said>
  void tell_dialer(Said&& said);

  protocol::executor_gate::pointer self_;
  protocol::link_dialer dialer_;
  std::uint64_t attempt_;
  protocol::executor_host host_;
  std::chrono::milliseconds limit_;
  protocol::link_gate node_;
  std::size_t pending_ = 0;
};

/// The first lines of `lines`, as many as `bytes` hold; of a first line that is longer, its beginning.
void cut_lines(core::log_lines& lines, std::size_t bytes);

} // namespace ringmaster::actors
