#include "gateway/transport/transport.hpp"

#include <algorithm>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>
#include <signal.h>

#include "gateway/transport/client/client.hpp"
#include "gateway/transport/client/spread_client.hpp"
#include "gateway/transport/io/asio.hpp"
#include "gateway/transport/io/networks.hpp"
#include "gateway/transport/server/listener.hpp"
#include "gateway/transport/tls/tls_context.hpp"

namespace ringmaster::gateway {

namespace {

/// One io thread with its data. Runs from construction to `stop`.
class io_loop {
public:
  io_loop(std::size_t buffered_bytes_max, const std::string& name) : shared(buffered_bytes_max), work_(shared.io.get_executor()) {
    sigset_t all, before;
    ::sigfillset(&all); // signals belong to the main thread
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread{[this] { run(); }};
    ::pthread_setname_np(thread_.native_handle(), name.c_str());
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  ~io_loop() { stop([] {}); }

  [[nodiscard]] std::thread::id id() const noexcept { return thread_.get_id(); }

  /// Runs `last` on the io thread, then ends the thread. Does nothing once it has ended.
  template <class Last>
  void stop(Last last) {
    if (!thread_.joinable())
      return;
    http::asio::post(shared.io, [this, last] {
      last();
      shared.io.stop();
    });
    thread_.join();
  }

  // Outlives the thread: handlers still queued in the io_context are destroyed with it.
  http::engine shared;

private:
  void run() {
    for (;;) {
      try {
        shared.io.run();
        return;
      } catch (...) {
        // No memory in one handler: its connection is lost, the others go on.
      }
    }
  }

  http::asio::executor_work_guard<http::io_executor> work_;
  std::thread thread_;
};

/// Transport that starts the io threads at once, and the listener only on request. The first thread serves, all of them call.
class beast_transport final : public transport {
public:
  beast_transport(const config::server_settings& server, const config::trigger_settings& trigger,
                  const config::security_settings& security)
    : needs_client_tls_(!security.executor_ca.empty() || !security.executor_certificate.empty()),
      client_tls_(std::make_shared<http::tls_source>([security] { return http::make_client_context(security); })) {
    if (!server.tls_certificate.empty())
      server_tls_ = std::make_shared<http::tls_source>([server] { return http::make_server_context(server); });
    const auto count = std::max<std::size_t>(1, trigger.io_threads);
    const auto homes = std::make_shared<http::origin_homes>(count);
    std::vector<std::shared_ptr<protocol::http_client>> clients;
    for (std::size_t i = 0; i < count; ++i) {
      auto& loop = *loops_.emplace_back(
        std::make_unique<io_loop>(server.buffered_bytes_max, i == 0 ? "rm-io" : "rm-io-" + std::to_string(i + 1)));
      clients_.push_back(std::make_shared<http::client>(loop.shared, trigger, security, client_tls_, loop.id(),
                                                        [homes, i](const std::string& origin) { homes->forget(i, origin); }));
      clients.push_back(clients_.back());
    }
    listener_ = std::make_unique<http::listener>(loops_.front()->shared, server, server_tls_, loops_.front()->id());
    client_ = std::make_shared<http::spread_client>(std::move(clients), homes);
  }

  ~beast_transport() override { stop(); }

  core::result<std::string> bind() override {
    // Reads configured files at the start, so that an error shows then and not at the first connection.
    for (auto* source : {server_tls_.get(), needs_client_tls_ ? client_tls_.get() : nullptr})
      if (source)
        if (auto context = source->get(); !context)
          return tl::unexpected{context.error()};
    return listener_->bind();
  }

  using transport::listen;
  core::result<std::string> listen(protocol::http_handler handler, protocol::body_rule body_limit) override {
    if (!listener_->is_bound())
      if (auto bound = bind(); !bound)
        return bound;
    auto address = listener_->open(std::move(handler), std::move(body_limit));
    if (address)
      http::asio::post(serving().io, [this] { listener_->start(); });
    return address;
  }

  std::shared_ptr<protocol::http_client> client() override { return client_; }

  transport_counters counters() const override {
    transport_counters now;
    for (const auto& loop : loops_) {
      const auto& shared = loop->shared;
      now.connections_open += shared.connections_open.load(std::memory_order_relaxed);
      now.connections_refused += shared.connections_refused.load(std::memory_order_relaxed);
      now.requests += shared.requests.load(std::memory_order_relaxed);
      now.body_waits += shared.body_waits.load(std::memory_order_relaxed);
      now.handshakes_failed += shared.handshakes_failed.load(std::memory_order_relaxed);
      const auto ended = shared.calls_ended.load(std::memory_order_acquire);
      const auto calls = shared.calls.load(std::memory_order_relaxed);
      now.calls += calls;
      now.calls_in_flight += calls - ended;
    }
    return now;
  }

  core::result<void> reload_tls() override {
    std::string wrong;
    for (auto* source : {server_tls_.get(), client_tls_.get()})
      if (source)
        if (auto done = source->reload(); !done)
          wrong.append(wrong.empty() ? "" : "\n").append(done.error().context);
    if (!wrong.empty())
      return core::fail(core::errc::invalid_argument, std::move(wrong));
    return {};
  }

  void stop_accepting() override {
    http::asio::post(serving().io, [this] { listener_->drain(); });
  }

  void stop() override {
    std::lock_guard guard{stopping_};
    for (std::size_t i = 0; i < loops_.size(); ++i)
      loops_[i]->stop([this, i] {
        if (i == 0)
          listener_->stop();
        clients_[i]->stop();
      });
  }

private:
  [[nodiscard]] http::engine& serving() noexcept { return loops_.front()->shared; }

  bool needs_client_tls_;
  /// Null: the server speaks plain HTTP.
  std::shared_ptr<http::tls_source> server_tls_;
  std::shared_ptr<http::tls_source> client_tls_;
  // Destroyed from the last to the first: handlers still queued in an io_context need only its engine for the objects that they
  // own.
  std::vector<std::unique_ptr<io_loop>> loops_;
  std::unique_ptr<http::listener> listener_;
  std::vector<std::shared_ptr<http::client>> clients_;
  std::shared_ptr<protocol::http_client> client_;
  std::mutex stopping_;
};

} // namespace

std::unique_ptr<transport> make_transport(const config::server_settings& server, const config::trigger_settings& trigger,
                                          const config::security_settings& security) {
  return std::make_unique<beast_transport>(server, trigger, security);
}

address_judge judge_addresses_by(const config::security_settings& security) {
  return [networks = http::network_list{security.executor_networks}](std::string_view address) -> std::string {
    const auto origin = http::parse_origin(protocol::split_address(address).origin);
    http::error_code none;
    const auto numeric = origin ? http::asio::ip::make_address(origin->host, none) : http::asio::ip::address{};
    if (!origin || none || networks.allows(numeric))
      return {};
    return numeric.to_string() + " is outside security.executor_networks";
  };
}

} // namespace ringmaster::gateway
