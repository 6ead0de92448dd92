#pragma once

// Asio as the transport uses it: concrete executors (a handler then needs no type erasure), one thread for each io context, no
// strands.

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/error_code.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>

#include "gateway/transport/io/body_budget.hpp"
#include "gateway/transport/io/deadlines.hpp"

namespace ringmaster::gateway::http {

namespace asio = boost::asio;
using boost::system::error_code;
using asio::ip::tcp;

using io_executor = asio::io_context::executor_type;
using tcp_socket = asio::basic_stream_socket<tcp, io_executor>;
using tcp_acceptor = asio::basic_socket_acceptor<tcp, io_executor>;
using tcp_timer =
  asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, io_executor>;

/// State shared by everything on one io thread.
class engine {
public:
  explicit engine(std::size_t buffered_bytes_max) : bodies(buffered_bytes_max) {}

  /// Both precede `io`: the sessions that its queued handlers own are still linked here when they are destroyed.
  deadlines limits{[this](deadlines::clock::time_point when) { wake_at(when); }};
  body_budget bodies;
  asio::io_context io{1};

  /// Counters, written on the io thread, read on any.
  std::atomic<std::uint64_t> connections_open{0};
  std::atomic<std::uint64_t> connections_refused{0};
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> body_waits{0};
  std::atomic<std::uint64_t> handshakes_failed{0};
  std::atomic<std::uint64_t> calls{0};
  std::atomic<std::uint64_t> calls_ended{0};

private:
  void wake_at(deadlines::clock::time_point when) {
    timer_.expires_at(when);
    timer_.async_wait([this](error_code ec) {
      if (!ec)
        limits.sweep(deadlines::clock::now());
    });
  }

  tcp_timer timer_{io};
};

/// Adds `n` to a counter that only the io thread writes: no locked instruction.
inline void count(std::atomic<std::uint64_t>& counter, std::int64_t n = 1) noexcept {
  counter.store(counter.load(std::memory_order_relaxed) + static_cast<std::uint64_t>(n), std::memory_order_relaxed);
}

} // namespace ringmaster::gateway::http
