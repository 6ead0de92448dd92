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

/// Converts admins' HTTP requests to messages for executor_host, and its replies to XXL-JOB's format (XXL wire §2.3, §2.4): the
/// status is always 200, the outcome is the code. Runs that arrive while others are being decided form one batch.
class http_door_state {
public:
  static inline const char* name = "ringmaster.http_door";

  /// An empty token means that none is required; then `Host` must be an address, `localhost`, or the host of `address`, which
  /// this executor registers. Requests that a browser sends for a page are always refused.
  http_door_state(protocol::executor_door::pointer self, protocol::executor_host host, std::string token, std::string app_name,
                  std::string address);
  protocol::executor_door::behavior_type make_behavior();

private:
  /// Maximum number of requests in one trigger_batch.
  static constexpr std::size_t batch_max = 1000;

  void serve(protocol::http_exchange&& exchange);
  /// Returns the refusal for a request that is rejected before any lookup; empty: none.
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

/// Returns the function that the transport calls for each request.
[[nodiscard]] protocol::http_handler hand_over_to(protocol::executor_door door);

} // namespace ringmaster::executor
