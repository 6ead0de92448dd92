#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "protocol/caf.hpp"
#include "protocol/executor_interfaces.hpp"
#include "protocol/executor_messages.hpp"
#include "protocol/http.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::executor {

/// Turns admins' requests into questions to executor_host, and its answers into XXL's (XXL wire §2.3, §2.4): always status 200,
/// the outcome is the code. Runs that come while others are being decided are one batch.
class http_door_state {
public:
  static inline const char* name = "ringmaster.http_door";

  /// An empty token means that none is asked for; then `Host` must be an address, `localhost`, or the host of `address`, which is
  /// what this executor registers. Requests that a browser sends for a page are refused in any case.
  http_door_state(protocol::executor_door::pointer self, protocol::executor_host host, std::string token, std::string app_name,
                  std::string address);
  protocol::executor_door::behavior_type make_behavior();

private:
  /// Requests that one trigger_batch takes.
  static constexpr std::size_t batch_max = 1000;

  void serve(protocol::http_exchange&& exchange);
  /// What has to be answered before anything is looked up; empty: nothing.
  [[nodiscard]] std::string refusal_of(const protocol::http_request& request) const;
  void take_run(protocol::http_exchange&& exchange);
  void kill(protocol::http_exchange&& exchange);
  void send_runs();
  template <class Question>
  void ask(Question question, protocol::http_reply_ptr reply);
  void read_log(protocol::http_exchange&& exchange);

  protocol::executor_door::pointer self_;
  protocol::executor_host host_;
  const std::string token_;
  const std::string app_name_;
  const std::string address_;
  std::vector<core::trigger_request> waiting_;
  std::vector<protocol::http_reply_ptr> waiting_replies_;
  bool sending_ = false;
};

/// What the transport calls for each request.
[[nodiscard]] protocol::http_handler hand_over_to(protocol::executor_door door);

} // namespace ringmaster::executor
