#pragma once

// The moments after many calls have left at once: writing what is due comes before everything else.

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>

#include "gateway/transport/client/pending_call.hpp"
#include "gateway/transport/io/asio.hpp"
#include "protocol/http.hpp"

namespace ringmaster::gateway::http {

/// A call that has its result.
struct ended_call {
  pending_call call;
  protocol::http_result result;
};

/// Counts the calls that are due and, in a burst, passes results on only when every due call is written (at most 200 ms), so that
/// records and retries do not compete with the writes. Answers are read in batches meanwhile. Lives on the io thread.
class burst {
public:
  using clock = std::chrono::steady_clock;

  /// `pass_on` gets each result, in the order of `end`. `rest` lets answers gather for a moment, if no instant is near.
  burst(asio::io_context& io, std::function<void(ended_call&&)> pass_on, std::function<void(clock::time_point now)> rest);

  /// Begins a burst, unless one is under way. Fewer calls than `many_calls` are none.
  void begin(std::size_t calls, clock::time_point now);
  /// Calls wait for a connection.
  [[nodiscard]] bool is_behind() const noexcept { return waiting_ > 0; }
  void on_due() noexcept { ++due_; }
  /// `calls` wait for a connection, or, if negative, no longer do.
  void on_waiting(std::ptrdiff_t calls) noexcept { waiting_ += calls; }
  /// Ends a call that was due.
  void end(ended_call&& ended);
  /// Passes everything on.
  void stop();

  static constexpr std::size_t many_calls = 32;

private:
  void go_on();
  void pass_on(std::size_t most);
  [[nodiscard]] std::ptrdiff_t with_executors() const noexcept { return due_ - waiting_; }

  asio::io_context& io_;
  std::function<void(ended_call&&)> pass_on_;
  std::function<void(clock::time_point)> rest_;
  /// Due and not ended; of these, those that wait for a connection.
  std::ptrdiff_t due_ = 0, waiting_ = 0;
  bool runs_ = false;
  clock::time_point until_{};
  std::deque<ended_call> ended_;
};

} // namespace ringmaster::gateway::http
