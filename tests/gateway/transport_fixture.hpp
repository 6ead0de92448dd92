#pragma once

// A transport on a free port with short limits, and the results of its calls.

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gateway/transport/transport.hpp"

namespace ringmaster::test {

using namespace std::chrono_literals;

inline constexpr std::chrono::seconds test_deadline{20};

/// Results by index; the test waits for all of them. A late result may arrive after the object is destroyed.
class collected_results {
public:
  explicit collected_results(std::size_t expected) { state_->results.resize(expected); }

  protocol::http_client::completion completion() {
    return [state = state_](std::size_t index, protocol::http_result&& result) {
      std::lock_guard guard{state->mutex};
      ++state->times;
      state->doubled += state->results.at(index).has_value() ? 1 : 0;
      state->results[index] = std::move(result);
      state->changed.notify_all();
    };
  }
  const protocol::http_result& wait(std::size_t index = 0) {
    std::unique_lock lock{state_->mutex};
    if (!state_->changed.wait_for(lock, test_deadline, [&] { return state_->results.at(index).has_value(); }))
      throw std::runtime_error("the call did not end in time");
    return *state_->results[index];
  }
  void wait_all() {
    for (std::size_t i = 0; i < state_->results.size(); ++i)
      wait(i);
  }
  bool is_done(std::size_t index = 0) {
    std::lock_guard guard{state_->mutex};
    return state_->results.at(index).has_value();
  }
  std::size_t times() {
    std::lock_guard guard{state_->mutex};
    return state_->times;
  }
  std::size_t doubled() {
    std::lock_guard guard{state_->mutex};
    return state_->doubled;
  }

private:
  struct state {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::optional<protocol::http_result>> results;
    std::size_t times = 0;
    std::size_t doubled = 0;
  };
  std::shared_ptr<state> state_ = std::make_shared<state>();
};

/// Waits for an event that another thread signals.
class event {
public:
  void set() {
    std::lock_guard guard{mutex_};
    set_ = true;
    changed_.notify_all();
  }
  bool wait() {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, test_deadline, [this] { return set_; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool set_ = false;
};

/// Change settings first, then call `start` or `listen`.
class transport_fixture {
public:
  config::server_settings server;
  config::trigger_settings trigger;
  config::security_settings security;
  std::unique_ptr<gateway::transport> transport;
  std::string address;

  transport_fixture() { server.listen = "127.0.0.1:0"; }

  void start() { transport = gateway::make_transport(server, trigger, security); }
  void listen(protocol::http_handler handler, protocol::body_rule body_limit = {}) {
    start();
    auto bound = transport->listen(std::move(handler), std::move(body_limit));
    if (!bound)
      throw std::runtime_error(bound.error().context);
    address = *bound;
  }
  /// Answers each request with `METHOD TARGET BODY`.
  void listen_echo() {
    listen([](protocol::http_request&& request, protocol::http_reply_ptr reply) {
      protocol::http_response response;
      response.body = request.method + " " + request.target + " " + request.body;
      reply->send(std::move(response));
    });
  }
  void post(collected_results& results, std::vector<protocol::http_call> calls) {
    if (!transport)
      start();
    transport->client()->post(std::move(calls), results.completion());
  }
  protocol::http_result call(protocol::http_call call) {
    collected_results results{1};
    std::vector<protocol::http_call> calls;
    calls.push_back(std::move(call));
    post(results, std::move(calls));
    return results.wait();
  }
};

inline protocol::http_call make_call(std::string origin, std::string target = "/run", std::string body = "{}") {
  protocol::http_call call;
  call.origin = std::move(origin);
  call.target = std::move(target);
  call.body = std::move(body);
  return call;
}

template <class... Calls>
std::vector<protocol::http_call> make_calls(Calls&&... calls) {
  std::vector<protocol::http_call> made;
  (made.push_back(std::forward<Calls>(calls)), ...);
  return made;
}

inline std::string reply_with(std::string_view body) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

} // namespace ringmaster::test
