#include "actors/store/read_pool.hpp"

#include <chrono>
#include <vector>

#include "actors/store/store_access.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/virtual_time.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;

namespace {

/// Pool over workers whose tasks set their own duration.
struct pool_fixture : test::virtual_time {
  explicit pool_fixture(int count) {
    std::vector<protocol::store_worker> workers;
    for (int i = 0; i < count; ++i)
      workers.push_back(spawn_worker(i));
    actor = spawn<actors::read_pool_state, protocol::query_worker>(std::move(workers));
    run();
  }

  protocol::store_worker spawn_worker(int number) {
    return track(system().spawn([this, number](protocol::store_worker::pointer self) -> protocol::store_worker::behavior_type {
      return {[this, self, number](protocol::store_task& task) -> caf::result<void> {
        workers_used.push_back(number);
        task.run(nullptr);
        if (fails)
          return protocol::to_caf({core::errc::internal, "gone wrong"});
        auto promise = self->make_response_promise<void>();
        self->run_delayed(takes, [promise]() mutable { promise.deliver(); });
        return promise;
      }};
    }));
  }

  void ask(int question, std::chrono::milliseconds time, bool failing = false) {
    askers.push_back(system().spawn([=, this](caf::event_based_actor* self) {
      auto begin = [=, this](core::result<storage::store*>) {
        takes = time;
        fails = failing;
      };
      self->request(actor, 1h, protocol::store_task{begin})
        .then([=, this] { answered.push_back(question); }, [=, this](const caf::error&) { answered.push_back(-question); });
    }));
    run();
  }

  protocol::query_worker actor;
  std::vector<caf::actor> askers;
  std::chrono::milliseconds takes{0};
  bool fails = false;
  std::vector<int> workers_used;
  std::vector<int> answered;
};

} // namespace

TEST_CASE("consecutive tasks need one connection", "[actors][read_pool]") {
  pool_fixture f{3};
  for (int i = 1; i <= 3; ++i) {
    f.ask(i, 5ms);
    f.advance(10ms);
  }
  CHECK(f.workers_used == std::vector{0, 0, 0});
  CHECK(f.answered == std::vector{1, 2, 3});
}

TEST_CASE("a long task delays no others while a connection is idle", "[actors][read_pool]") {
  pool_fixture f{2};
  f.ask(1, 1s);
  f.ask(2, 10ms);
  f.ask(3, 10ms);
  CHECK(f.workers_used == std::vector{0, 1});
  f.advance(100ms);
  CHECK(f.workers_used == std::vector{0, 1, 1});
  CHECK(f.answered == std::vector{2, 3});
  f.advance(1s);
  CHECK(f.answered == std::vector{2, 3, 1});
}

TEST_CASE("a failure is returned to the caller, and the connection goes on", "[actors][read_pool]") {
  pool_fixture f{1};
  f.ask(1, 0ms, true);
  f.ask(2, 5ms);
  f.advance(10ms);
  CHECK(f.answered == std::vector{-1, 2});
}

TEST_CASE("beyond its limit of waiting tasks the pool refuses new ones and loses none", "[actors][read_pool]") {
  pool_fixture f{1};
  const int limit = static_cast<int>(actors::read_pool_state::waiting_tasks_max);
  f.ask(1, 5ms);
  for (int i = 1; i <= limit; ++i)
    f.ask(1 + i, 0ms);
  CHECK(f.answered.empty());
  f.ask(limit + 2, 0ms);
  CHECK(f.answered == std::vector{-(limit + 2)});
  f.advance(10ms);
  CHECK(f.answered.size() == static_cast<std::size_t>(limit + 2));
  f.ask(limit + 3, 0ms);
  f.advance(10ms);
  CHECK(f.answered.back() == limit + 3);
}
