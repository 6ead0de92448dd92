#pragma once

// Bursts of calls: while many calls are due at once, their writes come before everything else.

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>

#include "gateway/transport/client/pending_call.hpp"
#include "gateway/transport/io/asio.hpp"
#include "protocol/http.hpp"

namespace ringmaster::gateway::http {

/// A call with its result.
struct ended_call {
  pending_call call;
  protocol::http_result result;
};

/// Counter of the calls that are due. In a burst it passes results on only when every due call is written (at most 200 ms), so
/// that records and retries do not compete with the writes. Answers are read in batches meanwhile. Lives on the io thread.
class burst {
public:
  using clock = std::chrono::steady_clock;

  /// `pass_on` gets each result, in the order of `end`. `rest` pauses so that answers gather, if no instant is near.
  burst(asio::io_context& io, std::function<void(ended_call&&)> pass_on, std::function<void(clock::time_point now)> rest);

  /// Begins a burst, unless one is under way. Fewer calls than `many_calls` begin none.
  void begin(std::size_t calls, clock::time_point now);
  /// Returns true while calls wait for a connection.
  [[nodiscard]] bool is_behind() const noexcept { return waiting_ > 0; }
  void on_due() noexcept { ++due_; }
  /// Adds calls that wait for a connection; negative: calls that no longer wait.
  void on_waiting(std::ptrdiff_t calls) noexcept { waiting_ += calls; }
  /// Ends a call that was due.
  void end(ended_call&& ended);
  /// Passes all results on.
  void stop();

  static constexpr std::size_t many_calls = 32;

private:
  void go_on();
  void pass_on(std::size_t most);
  [[nodiscard]] std::ptrdiff_t with_executors() const noexcept { return due_ - waiting_; }

  asio::io_context& io_;
  std::function<void(ended_call&&)> pass_on_;
  std::function<void(clock::time_point)> rest_;
  /// Calls that are due and have not ended; the part of them that waits for a connection.
  std::ptrdiff_t due_ = 0, waiting_ = 0;
  bool runs_ = false;
  clock::time_point until_{};
  std::deque<ended_call> ended_;
};

} // namespace ringmaster::gateway::http
