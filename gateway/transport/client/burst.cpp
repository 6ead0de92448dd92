#include "gateway/transport/client/burst.hpp"

#include <utility>

namespace ringmaster::gateway::http {

namespace {

/// Maximum time that results wait for the writes of other calls.
constexpr std::chrono::milliseconds writes_first{200};
/// With fewer calls at executors, waiting for more answers gains nothing.
constexpr std::ptrdiff_t gathered_min = 64;
/// Results passed on in one go; then sockets and timers are served.
constexpr std::size_t passed_on_together = 256;

} // namespace

burst::burst(asio::io_context& io, std::function<void(ended_call&&)> pass_on, std::function<void(clock::time_point)> rest)
  : io_{io}, pass_on_{std::move(pass_on)}, rest_{std::move(rest)} {}

void burst::begin(std::size_t calls, clock::time_point now) {
  if (runs_ || calls < many_calls)
    return;
  asio::post(io_, [this] { go_on(); });
  runs_ = true;
  until_ = now + writes_first;
}

void burst::end(ended_call&& ended) {
  --due_;
  if (ended_.empty() && (!runs_ || waiting_ == 0))
    return pass_on_(std::move(ended));
  ended_.push_back(std::move(ended));
}

void burst::go_on() {
  const auto now = clock::now();
  const bool writes = waiting_ > 0 && with_executors() >= gathered_min && now < until_;
  if (!writes)
    pass_on(passed_on_together);
  runs_ = writes || !ended_.empty() || (with_executors() >= gathered_min && now < until_);
  if (!runs_)
    return;
  if (with_executors() >= gathered_min)
    rest_(now);
  asio::post(io_, [this] { go_on(); });
}

void burst::pass_on(std::size_t most) {
  for (; !ended_.empty() && most > 0; --most) {
    auto first = std::move(ended_.front());
    ended_.pop_front();
    pass_on_(std::move(first));
  }
}

void burst::stop() { pass_on(ended_.size()); }

} // namespace ringmaster::gateway::http
