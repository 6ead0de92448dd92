#include "tests/support/catch.hpp"

#include <atomic>
#include <thread>

#include "tests/gateway/transport_fixture.hpp"
#include "tests/support/raw_socket.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using protocol::delivery;

TEST_CASE_METHOD(transport_fixture, "thousands of calls over sixteen connections complete exactly once", "[gateway]") {
  trigger.connections_per_executor = 16;
  std::atomic<std::size_t> handled{0};
  listen([&](protocol::http_request&& request, protocol::http_reply_ptr reply) {
    ++handled;
    protocol::http_response response;
    response.body = std::move(request.body);
    reply->send(std::move(response));
  });
  constexpr std::size_t threads = 4, batches = 25, batch = 100;
  std::vector<std::unique_ptr<collected_results>> results;
  for (std::size_t i = 0; i < threads * batches; ++i)
    results.push_back(std::make_unique<collected_results>(batch));
  std::vector<std::thread> posters;
  for (std::size_t t = 0; t < threads; ++t)
    posters.emplace_back([&, t] {
      for (std::size_t b = 0; b < batches; ++b) {
        std::vector<protocol::http_call> calls;
        for (std::size_t i = 0; i < batch; ++i)
          calls.push_back(make_call("http://" + address, "/run", std::to_string((t * batches + b) * batch + i)));
        post(*results[t * batches + b], std::move(calls));
      }
    });
  for (auto& poster : posters)
    poster.join();
  std::size_t wrong = 0;
  for (std::size_t r = 0; r < results.size(); ++r) {
    results[r]->wait_all();
    CHECK(results[r]->times() == batch);
    CHECK(results[r]->doubled() == 0);
    for (std::size_t i = 0; i < batch; ++i)
      wrong += results[r]->wait(i).body == std::to_string(r * batch + i) ? 0 : 1;
  }
  CHECK(wrong == 0);
  CHECK(handled == threads * batches * batch);
  CHECK(transport->counters().connections_open <= 16);
  CHECK(transport->counters().calls == threads * batches * batch);
  CHECK(transport->counters().calls_in_flight == 0);
}

TEST_CASE_METHOD(transport_fixture, "replies from many threads find their requests", "[gateway]") {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::pair<std::string, protocol::http_reply_ptr>> queue;
  bool over = false;
  auto work = [&] {
    std::unique_lock lock{mutex};
    for (;;) {
      changed.wait(lock, [&] { return over || !queue.empty(); });
      if (queue.empty())
        return;
      auto [body, reply] = std::move(queue.back());
      queue.pop_back();
      lock.unlock();
      protocol::http_response response;
      response.body = std::move(body);
      reply->send(std::move(response));
      reply.reset();
      lock.lock();
    }
  };
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; ++i)
    workers.emplace_back(work);
  listen([&](protocol::http_request&& request, protocol::http_reply_ptr reply) {
    std::lock_guard guard{mutex};
    queue.emplace_back(std::move(request.body), std::move(reply));
    changed.notify_one();
  });
  constexpr std::size_t calls_total = 5000;
  collected_results results{calls_total};
  std::vector<protocol::http_call> calls;
  for (std::size_t i = 0; i < calls_total; ++i)
    calls.push_back(make_call("http://" + address, "/run", std::to_string(i)));
  post(results, std::move(calls));
  results.wait_all();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < calls_total; ++i)
    wrong += results.wait(i).body == std::to_string(i) ? 0 : 1;
  CHECK(wrong == 0);
  {
    std::lock_guard guard{mutex};
    over = true;
  }
  changed.notify_all();
  for (auto& worker : workers)
    worker.join();
}

TEST_CASE_METHOD(transport_fixture, "stop under load completes every call exactly once", "[gateway]") {
  transport_fixture executor;
  executor.listen_echo();
  constexpr std::size_t calls_total = 2000;
  collected_results results{calls_total};
  std::thread poster([&] {
    std::vector<protocol::http_call> calls(calls_total, make_call("http://" + executor.address));
    post(results, std::move(calls));
  });
  poster.join();
  results.wait(10);
  SECTION("of the client") { transport->stop(); }
  SECTION("of the server") { executor.transport->stop(); }
  SECTION("of both") {
    std::thread other([&] { executor.transport->stop(); });
    transport->stop();
    other.join();
  }
  results.wait_all();
  CHECK(results.times() == calls_total);
  CHECK(results.doubled() == 0);
}

TEST_CASE_METHOD(transport_fixture, "a hundred executors are called at the same time", "[gateway]") {
  std::vector<std::unique_ptr<transport_fixture>> executors;
  for (int i = 0; i < 100; ++i) {
    executors.push_back(std::make_unique<transport_fixture>());
    executors.back()->listen_echo();
  }
  collected_results results{1000};
  std::vector<protocol::http_call> calls;
  for (std::size_t i = 0; i < 1000; ++i)
    calls.push_back(make_call("http://" + executors[i % 100]->address, "/" + std::to_string(i)));
  post(results, std::move(calls));
  results.wait_all();
  for (std::size_t i = 0; i < 1000; ++i)
    REQUIRE(results.wait(i).body == "POST /" + std::to_string(i) + " {}");
}

TEST_CASE("transports can be created and destroyed repeatedly", "[gateway]") {
  for (int i = 0; i < 50; ++i) {
    transport_fixture fixture;
    fixture.listen_echo();
    auto client = raw_socket::connect(fixture.address);
    collected_results results{3};
    fixture.post(results, std::vector<protocol::http_call>(3, make_call("http://" + fixture.address)));
    if (i % 2 == 0)
      results.wait_all();
    fixture.transport.reset();
    results.wait_all();
    CHECK(client.is_closed());
  }
}
