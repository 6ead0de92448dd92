// One client over several io threads, and their realtime priority.

#include <algorithm>
#include <thread>

#include <sched.h>

#include "gateway/transport/client/spread_client.hpp"
#include "gateway/transport/io/realtime_priority.hpp"
#include "tests/gateway/transport_fixture.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/raw_socket.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using gateway::http::origin_homes;
using gateway::http::spread_client;
using protocol::delivery;
using steady = std::chrono::steady_clock;

namespace {

/// Client that records its calls.
class noting_client final : public protocol::http_client {
public:
  void post(std::vector<protocol::http_call>&& calls, completion done) override {
    posted.emplace_back(std::move(calls), std::move(done));
  }

  std::vector<std::pair<std::vector<protocol::http_call>, completion>> posted;
};

struct two_clients {
  std::shared_ptr<noting_client> first = std::make_shared<noting_client>(), second = std::make_shared<noting_client>();
  std::shared_ptr<origin_homes> homes = std::make_shared<origin_homes>(2);
  spread_client both{{first, second}, homes};
};

std::string on(const std::pair<std::vector<protocol::http_call>, protocol::http_client::completion>& posted) {
  std::string targets;
  for (const auto& call : posted.first)
    targets += call.target;
  return targets;
}

} // namespace

TEST_CASE("origins are spread evenly over the clients and stay there", "[gateway]") {
  origin_homes homes{3};
  std::vector<std::size_t> counts(3, 0);
  for (int i = 0; i < 30; ++i)
    ++counts[homes.of("http://10.0.0." + std::to_string(i) + ":1")];
  CHECK(counts == std::vector<std::size_t>{10, 10, 10});
  for (int i = 0; i < 30; ++i)
    ++counts[homes.of("http://10.0.0." + std::to_string(i) + ":1")];
  CHECK(counts == std::vector<std::size_t>{20, 20, 20});
}

TEST_CASE("an origin that its client forgot makes room at that client only", "[gateway]") {
  origin_homes homes{2};
  CHECK(homes.of("a") == 0);
  CHECK(homes.of("b") == 1);
  homes.forget(1, "a"); // not its client
  homes.forget(0, "unknown");
  CHECK(homes.of("c") == 0);
  homes.forget(1, "b");
  homes.forget(1, "b");
  CHECK(homes.of("d") == 1);
  CHECK(homes.of("e") == 1);
}

TEST_CASE_METHOD(two_clients, "a batch for one origin stays whole", "[gateway]") {
  collected_results results{2};
  both.post(make_calls(make_call("http://a:1", "/1"), make_call("http://a:1", "/2")), results.completion());
  REQUIRE(first->posted.size() == 1);
  CHECK(second->posted.empty());
  CHECK(on(first->posted[0]) == "/1/2");
  both.post({}, [](std::size_t, protocol::http_result&&) { FAIL("no call, no result"); });
  CHECK(first->posted.size() == 1);
}

TEST_CASE_METHOD(two_clients, "a batch for several origins is split, and each result keeps its index", "[gateway]") {
  collected_results results{4};
  both.post(make_calls(make_call("http://a:1", "/0"), make_call("http://b:1", "/1"), make_call("http://c:1", "/2"),
                       make_call("http://b:1", "/3")),
            results.completion());
  REQUIRE(first->posted.size() == 1);
  REQUIRE(second->posted.size() == 1);
  CHECK(on(first->posted[0]) == "/0/2");
  CHECK(on(second->posted[0]) == "/1/3");
  const auto answer = [](auto& posted, std::size_t i) {
    protocol::http_result result;
    result.state = delivery::answered;
    result.body = posted.first[i].target;
    posted.second(i, std::move(result));
  };
  answer(second->posted[0], 1);
  answer(first->posted[0], 1);
  answer(second->posted[0], 0);
  answer(first->posted[0], 0);
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(results.wait(i).body == "/" + std::to_string(i));
  CHECK(results.doubled() == 0);
}

TEST_CASE_METHOD(transport_fixture, "many runs of one instant leave on time, whatever thread calls their executor", "[gateway]") {
  constexpr std::size_t executors = 3, runs = 40;
  trigger.io_threads = GENERATE(1, 2, 3);
  CAPTURE(trigger.io_threads);
  std::vector<raw_listener> listeners(executors);
  const auto when = steady::now() + 200ms;
  std::vector<protocol::http_call> calls;
  for (std::size_t i = 0; i < executors * runs; ++i) {
    calls.push_back(make_call(listeners[i % executors].origin()));
    calls.back().not_before = when;
  }
  collected_results results{calls.size()};
  post(results, std::move(calls));
  std::vector<raw_socket> peers;
  for (std::size_t i = 0; i < executors * runs; ++i) {
    peers.push_back(listeners[i % executors].accept());
  }
  for (auto& peer : peers) {
    peer.read_message();
    CHECK(steady::now() >= when);
    peer.send(reply_with("{}"));
  }
  results.wait_all();
  for (std::size_t i = 0; i < executors * runs; ++i) {
    CHECK(results.wait(i).state == delivery::answered);
    CHECK(results.wait(i).sent_at >= when);
  }
  CHECK(results.doubled() == 0);
  CHECK(transport->counters().calls == executors * runs);
  CHECK(transport->counters().calls_in_flight == 0);
}

TEST_CASE_METHOD(transport_fixture, "a stop ends the calls of all threads, and calls after it are not sent", "[gateway]") {
  trigger.io_threads = 2;
  std::vector<raw_listener> listeners(2);
  collected_results results{2}, late{2};
  post(results, make_calls(make_call(listeners[0].origin()), make_call(listeners[1].origin())));
  std::vector<raw_socket> peers;
  for (auto& listener : listeners) {
    peers.push_back(listener.accept());
    peers.back().read_message();
  }
  transport->stop();
  transport->stop();
  CHECK(results.wait(0).state == delivery::unknown);
  CHECK(results.wait(1).state == delivery::unknown);
  transport->client()->post(make_calls(make_call(listeners[0].origin()), make_call(listeners[1].origin())), late.completion());
  CHECK(late.wait(0).state == delivery::not_sent);
  CHECK(late.wait(1).state == delivery::not_sent);
}

TEST_CASE("the realtime priority is lowered again, and threads do not inherit it", "[gateway]") {
  std::thread{[] {
    gateway::http::realtime_priority way;
    way.lower();
    CHECK(::sched_getscheduler(0) == SCHED_OTHER);
    way.raise();
    const auto raised = ::sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
    CHECK((raised == SCHED_RR || raised == SCHED_OTHER)); // as far as the kernel permits
    way.raise();
    CHECK((::sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) == raised);
    std::thread{[] { CHECK(::sched_getscheduler(0) == SCHED_OTHER); }}.join();
    way.lower();
    CHECK((::sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) == SCHED_OTHER);
  }}.join();
}
