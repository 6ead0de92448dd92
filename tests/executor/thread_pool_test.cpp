#include "executor/host/thread_pool.hpp"

#include <atomic>
#include <future>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include "tests/support/catch.hpp"

using namespace ringmaster;
using executor::thread_pool;
using namespace std::chrono_literals;

TEST_CASE("work begins at once, in parallel to other work", "[executor]") {
  auto all_there = std::make_shared<std::latch>(8);
  thread_pool pool{8};
  for (int i = 0; i < 8; ++i)
    REQUIRE(pool.start([all_there] { all_there->arrive_and_wait(); }));
  all_there->wait();
}

TEST_CASE("reuses a thread", "[executor]") {
  thread_pool pool{100};
  for (int i = 0; i < 50; ++i) {
    auto done = std::make_shared<std::promise<void>>();
    auto seen = done->get_future();
    REQUIRE(pool.start([done] { done->set_value(); }));
    seen.wait();
  }
  // A thread that has signalled its end may not be idle yet when the next work arrives.
  CHECK(pool.size() < 10);
}

TEST_CASE("refuses work beyond its size", "[executor]") {
  thread_pool pool{1};
  std::promise<void> go;
  REQUIRE(pool.start([&, may = go.get_future().share()] { may.wait(); }));
  CHECK_FALSE(pool.start([] {}));
  go.set_value();
}

TEST_CASE("waits for active work", "[executor]") {
  auto done = std::make_shared<std::atomic<int>>(0);
  thread_pool pool{16};
  std::promise<void> go;
  REQUIRE(pool.start([done, may = go.get_future().share()] {
    may.wait();
    ++*done;
  }));
  CHECK_FALSE(pool.wait_until_idle(1ms));
  go.set_value();
  CHECK(pool.wait_until_idle(1min));
  CHECK(*done == 1);
}

TEST_CASE("destroying the pool releases the data of its threads", "[executor]") {
  struct thread_data {
    ~thread_data() {
      if (released)
        ++*released;
    }
    std::shared_ptr<std::atomic<int>> released;
  };
  auto released = std::make_shared<std::atomic<int>>(0);
  {
    thread_pool pool{2};
    auto both = std::make_shared<std::latch>(2);
    for (int i = 0; i < 2; ++i)
      REQUIRE(pool.start([released, both] {
        thread_local thread_data data;
        data.released = released;
        both->arrive_and_wait();
      }));
    CHECK(pool.wait_until_idle(1min));
  }
  CHECK(*released == 2);
}

TEST_CASE("destroying the pool does not wait for active work", "[executor]") {
  std::promise<void> go;
  auto ended = std::make_shared<std::promise<void>>();
  auto seen = ended->get_future();
  {
    thread_pool pool{1};
    REQUIRE(pool.start([ended, may = go.get_future().share()] {
      may.wait();
      ended->set_value();
    }));
  }
  go.set_value();
  CHECK(seen.wait_for(1min) == std::future_status::ready);
}

TEST_CASE("runs work of many threads", "[executor]") {
  std::atomic<int> done = 0, refused = 0;
  thread_pool pool{64};
  {
    std::vector<std::jthread> senders;
    for (int i = 0; i < 4; ++i)
      senders.emplace_back([&] {
        for (int n = 0; n < 5000; ++n)
          if (!pool.start([&] { ++done; }))
            ++refused;
      });
  }
  REQUIRE(pool.wait_until_idle(1min));
  CHECK(done + refused == 20'000);
  CHECK(done > 0);
}
