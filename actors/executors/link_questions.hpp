#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <variant>

#include "protocol/caf.hpp"
#include "protocol/link_messages.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

using probe_promise = caf::typed_response_promise<protocol::probe_reply>;
using log_promise = caf::typed_response_promise<protocol::log_reply>;

/// Deliver the reason why there is no answer.
void deliver_failure(probe_promise& promise, const std::string& why);
void deliver_failure(log_promise& promise, const std::string& why);

/// Questions to an executor that wait for an answer over its native link. Each is answered once: by the executor, at its deadline
/// or when the link ends.
class link_questions {
public:
  using steady = protocol::wall_clock::steady;
  static constexpr std::size_t questions_max = 1000;

  [[nodiscard]] bool empty() const noexcept { return asked_.empty(); }
  [[nodiscard]] bool is_full() const noexcept { return asked_.size() >= questions_max; }
  /// Adds a question and returns its number.
  std::uint64_t add(std::variant<probe_promise, log_promise> promise, protocol::link_topic topic, steady until);
  /// Delivers the answer. Without such a question it changes nothing.
  void take(protocol::link_answer&& answer);
  /// Give up questions whose deadline has passed, or all of them.
  void give_up_late(steady now);
  void give_up(const std::string& why);

private:
  struct question {
    std::variant<probe_promise, log_promise> promise;
    protocol::link_topic topic = protocol::link_topic::beat;
    steady until{};
  };

  /// By number.
  std::map<std::uint64_t, question> asked_;
  std::uint64_t last_ = 0;
};

} // namespace ringmaster::actors
