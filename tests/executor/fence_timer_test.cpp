#include "executor/elastic/fence_timer.hpp"

#include <future>

#include "executor/elastic/boot_clock.hpp"
#include "executor/host/thread_pool.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using core::elastic::item_run_id;
using executor::elastic::boot_now;
using executor::elastic::fence_timer;

namespace {

struct timed {
  timed() {
    const auto on_end = [told = told](const std::vector<item_run_id>& runs) { told->set_value(runs); };
    auto started = fence_timer::start(board, threads, on_end);
    REQUIRE(started);
    timer = std::move(*started);
  }
  ~timed() {
    timer.reset();
    threads->close();
    CHECK(threads->wait_until_idle(10s));
  }

  std::shared_ptr<executor::elastic::fence_board> board = std::make_shared<executor::elastic::fence_board>(boot_now);
  std::shared_ptr<executor::thread_pool> threads = std::make_shared<executor::thread_pool>(4);
  std::shared_ptr<std::promise<std::vector<item_run_id>>> told = std::make_shared<std::promise<std::vector<item_run_id>>>();
  std::unique_ptr<fence_timer> timer;
};

} // namespace

TEST_CASE_METHOD(timed, "fence timer: requests the stop of a run when its lease is over", "[executor]") {
  const auto began = boot_now();
  board->extend(began);
  const auto long_run = board->open(item_run_id{11}, 1h);
  const auto run = board->open(item_run_id{12}, 100ms);
  std::promise<void> stopped;
  std::stop_callback on_stop{run->stop_token(), [&] { stopped.set_value(); }};
  auto ended = told->get_future();
  REQUIRE(ended.wait_for(10s) == std::future_status::ready);
  CHECK(ended.get() == std::vector{item_run_id{12}});
  CHECK(boot_now() - began >= 100ms);
  CHECK_FALSE(run->still_mine());
  CHECK(stopped.get_future().wait_for(10s) == std::future_status::ready);
  CHECK(long_run->still_mine());
  CHECK_FALSE(long_run->stop_token().stop_requested());
}

TEST_CASE_METHOD(timed, "fence timer: ends a lease also while all threads are busy", "[executor]") {
  std::promise<void> go;
  const auto may_go = go.get_future().share();
  for (int i = 0; i < 4; ++i)
    REQUIRE(threads->start([may_go] { may_go.wait(); }));
  board->extend(boot_now());
  const auto run = board->open(item_run_id{12}, 50ms);
  std::promise<void> stopped;
  std::stop_callback on_stop{run->stop_token(), [&] { stopped.set_value(); }};
  auto ended = told->get_future();
  CHECK(ended.wait_for(10s) == std::future_status::ready);
  CHECK(stopped.get_future().wait_for(10s) == std::future_status::ready);
  go.set_value();
}

TEST_CASE_METHOD(timed, "fence timer: reports the end of a lease before a stop callback that blocks", "[executor]") {
  std::promise<void> go;
  const auto may_go = go.get_future().share();
  for (int i = 0; i < 4; ++i)
    REQUIRE(threads->start([may_go] { may_go.wait(); }));
  board->extend(boot_now());
  const auto run = board->open(item_run_id{12}, 50ms);
  std::stop_callback on_stop{run->stop_token(), [may_go] { may_go.wait(); }};
  auto ended = told->get_future();
  CHECK(ended.wait_for(10s) == std::future_status::ready);
  go.set_value();
}
