#include "gateway/transport.hpp"

#include <mutex>
#include <thread>
#include <utility>

#include <pthread.h>
#include <signal.h>

#include "gateway/transport/asio.hpp"
#include "gateway/transport/client.hpp"
#include "gateway/transport/listener.hpp"

namespace ringmaster::gateway {

namespace {

/// Starts the io thread at once; the listener only when asked.
class beast_transport final : public transport {
public:
  beast_transport(const config::server_settings& server, const config::trigger_settings& trigger,
                  const config::security_settings& security)
    : shared_(server.buffered_bytes_max), work_(shared_.io.get_executor()) {
    sigset_t all, before;
    ::sigfillset(&all); // Signals are the main thread's.
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread{[this] { run(); }};
    ::pthread_setname_np(thread_.native_handle(), "rm-io");
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    listener_ = std::make_unique<http::listener>(shared_, server, thread_.get_id());
    client_ = std::make_shared<http::client>(shared_, trigger, security, thread_.get_id());
  }

  ~beast_transport() override { stop(); }

  core::result<std::string> bind() override { return listener_->bind(); }

  core::result<std::string> listen(protocol::http_handler handler) override {
    auto address = listener_->open(std::move(handler));
    if (address)
      http::asio::post(shared_.io, [this] { listener_->start(); });
    return address;
  }

  std::shared_ptr<protocol::http_client> client() override { return client_; }

  transport_counters counters() const override {
    transport_counters now;
    now.connections_open = shared_.connections_open.load(std::memory_order_relaxed);
    now.connections_refused = shared_.connections_refused.load(std::memory_order_relaxed);
    now.requests = shared_.requests.load(std::memory_order_relaxed);
    now.body_waits = shared_.body_waits.load(std::memory_order_relaxed);
    const auto ended = shared_.calls_ended.load(std::memory_order_acquire);
    now.calls = shared_.calls.load(std::memory_order_relaxed);
    now.calls_in_flight = now.calls - ended;
    return now;
  }

  void stop_accepting() override {
    http::asio::post(shared_.io, [this] { listener_->drain(); });
  }

  void stop() override {
    std::lock_guard guard{stopping_};
    if (!thread_.joinable())
      return;
    http::asio::post(shared_.io, [this] {
      listener_->stop();
      client_->stop();
      shared_.io.stop();
    });
    thread_.join();
  }

private:
  void run() {
    for (;;) {
      try {
        shared_.io.run();
        return;
      } catch (...) {
        // Out of memory in one handler: its connection is lost, the others go on.
      }
    }
  }

  // Destroyed from the last to the first: what handlers still queued in the io_context own needs only the engine.
  http::engine shared_;
  http::asio::executor_work_guard<http::io_executor> work_;
  std::thread thread_;
  std::unique_ptr<http::listener> listener_;
  std::shared_ptr<http::client> client_;
  std::mutex stopping_;
};

} // namespace

std::unique_ptr<transport> make_transport(const config::server_settings& server, const config::trigger_settings& trigger,
                                          const config::security_settings& security) {
  return std::make_unique<beast_transport>(server, trigger, security);
}

} // namespace ringmaster::gateway
