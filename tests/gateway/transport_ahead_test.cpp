// Calls that are posted ahead of their time.

#include "tests/support/catch.hpp"

#include <thread>

#include "tests/gateway/transport_fixture.hpp"
#include "tests/support/raw_socket.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using protocol::delivery;
using steady = std::chrono::steady_clock;

namespace {

protocol::http_call ahead(std::string origin, steady::time_point when) {
  auto call = make_call(std::move(origin));
  call.not_before = when;
  return call;
}

} // namespace

TEST_CASE_METHOD(transport_fixture, "a call leaves at its time, and its limits count from then", "[gateway]") {
  raw_listener executor;
  auto when = steady::now() + 150ms;
  auto call = ahead(executor.origin(), when);
  call.connect_timeout = call.request_timeout = 100ms;
  collected_results results{1};
  post(results, make_calls(call));
  auto peer = executor.accept(); // connected before
  peer.read_message();
  CHECK(steady::now() >= when);
  auto result = results.wait();
  CHECK(result.state == delivery::unknown);
  CHECK(result.sent_at >= when);
  CHECK(result.elapsed >= 100ms);
  CHECK(steady::now() >= when + 100ms);
}

TEST_CASE_METHOD(transport_fixture, "earlier calls do not wait for later ones, whatever the order of posting",
                 "[gateway]") {
  raw_listener executor;
  auto start = steady::now();
  collected_results results{4};
  post(results, make_calls(ahead(executor.origin(), start + 200ms), ahead(executor.origin(), start + 50ms),
                           make_call(executor.origin()), ahead(executor.origin(), start + 100ms)));
  std::vector<raw_socket> peers;
  for (int i = 0; i < 4; ++i) {
    peers.push_back(executor.accept());
    peers.back().read_message();
  }
  for (auto& peer : peers)
    peer.send(reply_with("{}"));
  results.wait_all();
  CHECK(results.wait(2).sent_at < results.wait(1).sent_at);
  CHECK(results.wait(1).sent_at < results.wait(3).sent_at);
  CHECK(results.wait(3).sent_at < results.wait(0).sent_at);
  CHECK(results.wait(1).sent_at >= start + 50ms);
  CHECK(results.wait(0).sent_at >= start + 200ms);
}

TEST_CASE_METHOD(transport_fixture, "a lease that ends while a call waits for its time stops the call", "[gateway]") {
  raw_listener executor;
  auto gate = std::make_shared<protocol::send_gate>();
  gate->open_until(1, protocol::boottime_ns() + 60'000'000'000);
  auto call = ahead(executor.origin(), steady::now() + 100ms);
  call.gate = gate;
  call.incarnation = 1;
  collected_results results{1};
  post(results, make_calls(call));
  gate->open_until(2, protocol::boottime_ns() + 60'000'000'000);
  CHECK(results.wait().state == delivery::gate_closed);
}

TEST_CASE_METHOD(transport_fixture, "a stop leaves calls ahead of their time to the next incarnation", "[gateway]") {
  raw_listener executor;
  auto gated = ahead(executor.origin(), steady::now() + 1h);
  gated.gate = std::make_shared<protocol::send_gate>();
  collected_results results{2};
  post(results, make_calls(gated, ahead(executor.origin(), steady::now() + 1h)));
  transport->stop();
  CHECK(results.wait(0).state == delivery::gate_closed);
  CHECK(results.wait(1).state == delivery::not_sent);
}

TEST_CASE_METHOD(transport_fixture, "the calls of an instant find open connections", "[gateway]") {
  constexpr std::size_t many = 200; // more than are opened for waiting calls
  raw_listener executor;
  const auto when = steady::now() + 5s;
  collected_results results{many};
  post(results, std::vector<protocol::http_call>(many, ahead(executor.origin(), when)));
  std::vector<raw_socket> peers;
  for (std::size_t i = 0; i < many; ++i)
    peers.push_back(executor.accept());
  CHECK(peers.back().is_quiet_for(5ms));
  CHECK(executor.is_quiet_for(5ms));
  CHECK(steady::now() < when);
  for (auto& peer : peers) {
    peer.read_message();
    peer.send(reply_with("{}"));
  }
  results.wait_all();
  CHECK(results.wait(many - 1).sent_at >= when);
}

TEST_CASE_METHOD(transport_fixture, "no more connections than allowed are opened ahead", "[gateway]") {
  raw_listener executor;
  trigger.connections_per_executor = 3;
  const auto when = steady::now() + 300ms;
  collected_results results{7};
  post(results, std::vector<protocol::http_call>(7, ahead(executor.origin(), when)));
  std::vector<raw_socket> peers;
  for (std::size_t i = 0; i < 3; ++i)
    peers.push_back(executor.accept());
  CHECK(executor.is_quiet_for(20ms));
  for (std::size_t i = 0; i < 7; ++i) {
    peers[i % 3].read_message();
    peers[i % 3].send(reply_with("{}"));
  }
  results.wait_all();
  CHECK(executor.is_quiet_for(5ms));
}

TEST_CASE_METHOD(transport_fixture, "connections opened ahead are bounded over all executors", "[gateway]") {
  constexpr std::size_t most = 4;
  trigger.io_threads = 1;
  trigger.connections_ahead_max = most;
  raw_listener first, second;
  const auto when = steady::now() + 5s;
  collected_results results{20};
  auto calls = std::vector<protocol::http_call>(10, ahead(first.origin(), when));
  calls.resize(20, ahead(second.origin(), when));
  post(results, std::move(calls));
  std::size_t opened = 0;
  std::vector<raw_socket> peers;
  while (opened < most) {
    for (auto* listener : {&first, &second})
      if (!listener->is_quiet_for(1ms)) {
        peers.push_back(listener->accept());
        ++opened;
      }
  }
  CHECK(first.is_quiet_for(10ms));
  CHECK(second.is_quiet_for(10ms));
  CHECK(steady::now() < when);
  transport->stop();
}

TEST_CASE_METHOD(transport_fixture, "an unknown executor is tried with one connection", "[gateway]") {
  raw_listener silent; // never completes a handshake
  const auto when = steady::now() + 5s;
  collected_results results{50};
  post(results, std::vector<protocol::http_call>(50, ahead("https" + silent.origin().substr(4), when)));
  auto peer = silent.accept();
  CHECK(silent.is_quiet_for(20ms));
  CHECK(steady::now() < when);
  transport->stop();
}

TEST_CASE_METHOD(transport_fixture, "an immediate call does not stop connections from being opened ahead", "[gateway]") {
  constexpr std::size_t many = 200;
  raw_listener executor;
  const auto when = steady::now() + 5s;
  collected_results results{many + 1};
  auto calls = std::vector<protocol::http_call>(many, ahead(executor.origin(), when));
  calls.push_back(make_call(executor.origin()));
  post(results, std::move(calls));
  std::vector<raw_socket> peers;
  for (std::size_t i = 0; i < many; ++i)
    peers.push_back(executor.accept());
  CHECK(steady::now() < when);
  transport->stop();
}

TEST_CASE_METHOD(transport_fixture, "results of late calls are passed on at once", "[gateway]") {
  constexpr std::size_t connections = 70, calls = 100;
  trigger.connections_per_executor = connections;
  bool at_once = false;
  for (int tries = 0; tries < 10 && !at_once; ++tries) {
    raw_listener executor;
    const auto start = steady::now();
    collected_results results{calls};
    post(results, std::vector<protocol::http_call>(calls, make_call(executor.origin())));
    std::vector<raw_socket> peers;
    for (std::size_t i = 0; i < connections; ++i)
      peers.push_back(executor.accept());
    peers.front().read_message();
    peers.front().send(reply_with("first"));
    while (!results.is_done(0))
      std::this_thread::yield();
    at_once = steady::now() < start + 150ms; // a burst lasts 200 ms
  }
  CHECK(at_once);
}

TEST_CASE_METHOD(transport_fixture, "results wait until the calls of an instant are written, up to a limit", "[gateway]") {
  constexpr std::size_t connections = 70, calls = 100;
  raw_listener executor;
  trigger.connections_per_executor = connections;
  const auto when = steady::now() + 300ms;
  collected_results results{calls};
  post(results, std::vector<protocol::http_call>(calls, ahead(executor.origin(), when)));
  std::vector<raw_socket> peers;
  for (std::size_t i = 0; i < connections; ++i)
    peers.push_back(executor.accept());
  for (auto& peer : peers)
    peer.read_message();
  peers.front().send(reply_with("first"));
  peers.front().read_message(); // the next call has its connection
  const auto ended = [&] {
    std::size_t count = 0;
    for (std::size_t i = 0; i < calls; ++i)
      count += results.is_done(i) ? 1 : 0;
    return count;
  };
  if (steady::now() < when + 100ms)
    CHECK(ended() == 0);
  SECTION("all are written") {
    for (std::size_t i = 1; i < calls - connections; ++i) {
      peers[i].send(reply_with("{}"));
      peers[i].read_message();
    }
    for (auto& peer : peers)
      peer.send(reply_with("{}"));
    results.wait_all();
    CHECK(results.doubled() == 0);
  }
  SECTION("an executor does not answer") {
    const auto give_up = steady::now() + test_deadline;
    while (ended() == 0 && steady::now() < give_up)
      std::this_thread::yield();
    CHECK(ended() == 1);
  }
}

TEST_CASE_METHOD(transport_fixture, "an executor that found no room ahead gets it when other connections close", "[gateway]") {
  constexpr std::size_t most = 4;
  trigger.io_threads = 1;
  trigger.connections_ahead_max = most;
  raw_listener first, second;
  const auto when = steady::now() + 10s;
  collected_results results{most}, later{most};
  post(results, std::vector<protocol::http_call>(most, ahead(first.origin(), when)));
  std::vector<raw_socket> peers;
  for (std::size_t i = 0; i < most; ++i)
    peers.push_back(first.accept());
  post(later, std::vector<protocol::http_call>(most, ahead(second.origin(), when)));
  CHECK(second.is_quiet_for(20ms));
  std::vector<raw_socket> others;
  for (std::size_t closed = 1; closed < most; ++closed) {
    peers.pop_back();
    others.push_back(second.accept());
    CHECK(second.is_quiet_for(10ms)); // the bound holds
  }
  CHECK(first.is_quiet_for(1ms));
  CHECK(steady::now() < when);
  transport->stop();
}

// As retries of failed runs: results are passed on when all calls are written, and the calls that follow from them come at once.
TEST_CASE_METHOD(transport_fixture, "calls that follow from the results of an instant open no connections beyond the limit",
                 "[gateway]") {
  constexpr std::size_t connections = 3, calls = 40; // enough for a burst
  trigger.connections_per_executor = connections;
  start();
  raw_listener executor;
  collected_results followers{calls};
  const auto follow = [client = transport->client(), call = make_call(executor.origin()),
                       done = followers.completion()](std::size_t index, protocol::http_result&&) {
    client->post({call}, [done, index](std::size_t, protocol::http_result&& result) { done(index, std::move(result)); });
  };
  transport->client()->post(std::vector<protocol::http_call>(calls, ahead(executor.origin(), steady::now() + 300ms)), follow);
  std::vector<raw_socket> peers;
  for (std::size_t i = 0; i < connections; ++i)
    peers.push_back(executor.accept());
  const auto give_up = steady::now() + test_deadline;
  for (std::size_t answered = 0; answered < 2 * calls && steady::now() < give_up;)
    for (auto& peer : peers)
      if (!peer.is_quiet_for(1ms)) {
        peer.read_message();
        peer.send(reply_with("{}"));
        ++answered;
      }
  followers.wait_all();
  CHECK(followers.doubled() == 0);
  CHECK(executor.is_quiet_for(5ms));
}
