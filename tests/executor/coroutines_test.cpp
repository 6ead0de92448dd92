#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <latch>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "executor/host/handler_bodies.hpp"
#include "executor/host/task_threads.hpp"
#include "executor/host/thread_pool.hpp"
#include "tests/executor/silent_log.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using executor::handler;
using executor::job_context;
using executor::task;

namespace {

/// The result of a run.
struct ended {
  core::run_outcome outcome;
  std::string thrown;
  /// The thread that reported it.
  bool on_task_thread = false;
};

/// One run of a handler, started like actors do.
class one_run {
public:
  explicit one_run(const std::shared_ptr<executor::task_threads>& threads, handler code) : threads_{threads} {
    executor::handlers known;
    REQUIRE(known.add("it", std::move(code)));
    const auto open = [](const core::trigger_request&) { return std::make_unique<test::silent_log>(); };
    executor::handler_bodies bodies{known, {open, open, threads}, nullptr};
    request_.glue_type = "BEAN";
    request_.handler = "it";
    body_ = *bodies.find(request_, nullptr);
    REQUIRE(body_->start);
  }
  ~one_run() { stop_.request_stop(); }

  void start() {
    auto told = std::make_shared<std::promise<ended>>();
    end_ = told->get_future();
    body_->start(request_, stop_.get_token(), [] { return std::string{"the reason"}; },
                 [told, threads = threads_](core::run_outcome&& outcome, const std::exception_ptr& thrown) {
                   ended out{std::move(outcome), {}, threads->is_one_of_them()};
                   try {
                     if (thrown)
                       std::rethrow_exception(thrown);
                   } catch (const std::exception& what) {
                     out.thrown = what.what();
                   }
                   told->set_value(std::move(out));
                 });
  }
  void stop() { stop_.request_stop(); }
  [[nodiscard]] bool has_ended() const { return end_.wait_for(0s) == std::future_status::ready; }
  ended wait() {
    REQUIRE(end_.wait_for(1min) == std::future_status::ready);
    return end_.get();
  }

private:
  std::shared_ptr<executor::task_threads> threads_;
  core::trigger_request request_;
  std::shared_ptr<const actors::run_body> body_;
  std::stop_source stop_;
  std::future<ended> end_;
};

struct runtime {
  explicit runtime(std::size_t count = 2, std::size_t blocking = 8)
    : pool{std::make_shared<executor::thread_pool>(blocking)},
      threads{std::make_shared<executor::task_threads>(count, pool)} {}

  ended run(handler code) const {
    one_run run{threads, std::move(code)};
    run.start();
    auto out = run.wait();
    CHECK(out.on_task_thread);
    return out;
  }

  std::shared_ptr<executor::thread_pool> pool;
  std::shared_ptr<executor::task_threads> threads;
};

/// An awaitable that other code resumes, on its own thread.
class foreign_event {
public:
  auto operator co_await() noexcept {
    struct awaiter {
      [[nodiscard]] bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> who) const {
        event.who_ = who;
        event.waits_.count_down();
      }
      void await_resume() const noexcept {}
      foreign_event& event;
    };
    return awaiter{*this};
  }
  void wait_until_awaited() { waits_.wait(); }
  void fire() { std::thread{[who = who_] { who.resume(); }}.join(); }

private:
  std::coroutine_handle<> who_;
  std::latch waits_{1};
};

task<int> number(int value) { co_return value; }

task<int> sum_below(int limit) {
  int sum = 0;
  for (int i = 0; i < limit; ++i) {
    const int next = co_await number(i);
    sum += next;
  }
  co_return sum;
}

task<int> depth(int levels) {
  if (levels == 0)
    co_return 0;
  const int below = co_await depth(levels - 1);
  co_return 1 + below;
}

task<> throw_it(std::string text) {
  throw std::runtime_error{text};
  co_return;
}

/// For checks on other threads: throws to end the run.
void must(bool holds, const char* what) {
  if (!holds)
    throw std::logic_error{what};
}

task<> nothing(job_context&) { co_return; }

} // namespace

TEST_CASE("a coroutine is a handler like a function", "[executor][coroutines]") {
  executor::handlers known;
  CHECK(known.add("function", [](job_context&) {}));
  CHECK(known.add("coroutine", [](job_context&) -> task<> { co_return; }));
  CHECK(known.add("by name", nothing));
  CHECK(known.add("generic", [](auto& context) -> task<> { co_await context.sleep_for(0s); }));
  CHECK_FALSE(known.all().at("function")->run.is_coroutine());
  for (const auto* name : {"coroutine", "by name", "generic"})
    CHECK(known.all().at(name)->run.is_coroutine());
  CHECK(known.add("none", handler{}).error().context == "job handler \"none\" has no function");
  CHECK_FALSE(known.add("none", handler::function{}));
  CHECK_FALSE(known.add("none", handler::coroutine{}));
}

TEST_CASE("the result of a coroutine is the one set in its context, or its exception", "[executor][coroutines]") {
  const runtime f;
  CHECK(f.run(nothing).outcome.code == 200);
  const auto failed = f.run([](job_context& context) -> task<> {
    co_await context.sleep_for(1ms);
    context.fail("no stock");
  });
  CHECK(failed.outcome.code == 500);
  CHECK(failed.outcome.message == "no stock");
  CHECK(f.run([](job_context&) -> task<> { co_await throw_it("the roof fell in"); }).thrown == "the roof fell in");
  CHECK(f.run([](job_context&) -> task<> {
          throw std::runtime_error{"at once"};
          co_return;
        }).thrown == "at once");
  // A handler that throws before it becomes a coroutine.
  CHECK(f.run(handler::coroutine{[](job_context&) -> task<> { throw std::runtime_error{"not even begun"}; }}).thrown
        == "not even begun");
}

TEST_CASE("thousands sleep on two threads, and a stop wakes each of them", "[executor][coroutines]") {
  const runtime f{2};
  constexpr std::size_t count = 5000;
  std::latch begun{count};
  std::atomic<std::size_t> stopped = 0;
  std::deque<one_run> runs;
  for (std::size_t i = 0; i < count; ++i)
    runs.emplace_back(f.threads, [&](job_context& context) -> task<> {
      begun.count_down();
      const bool slept = co_await context.sleep_for(1h);
      if (!slept && context.stop_reason() == "the reason")
        ++stopped;
    }).start();
  begun.wait();
  CHECK(f.pool->size() == 0);
  CHECK_FALSE(f.threads->wait_until_idle(0ms));
  for (auto& run : runs)
    run.stop();
  for (auto& run : runs)
    (void)run.wait();
  CHECK(stopped == count);
  CHECK(f.threads->wait_until_idle(1min));
}

TEST_CASE("a sleep of any length ends on its own", "[executor][coroutines]") {
  const runtime f{1};
  const auto out = f.run([&](job_context& context) -> task<> {
    const auto before = std::chrono::steady_clock::now();
    const bool slept = co_await context.sleep_for(20ms);
    must(slept, "it slept");
    must(std::chrono::steady_clock::now() - before >= 20ms, "and long enough");
    const bool no_time = co_await context.sleep_for(0s);
    const bool less_than_none = co_await context.sleep_for(std::chrono::nanoseconds::min());
    must(no_time && less_than_none, "no time to sleep");
    must(f.threads->is_one_of_them(), "in our threads");
    context.succeed("awake");
  });
  CHECK(out.thrown.empty());
  CHECK(out.outcome.message == "awake");
  one_run endless{f.threads, [](job_context& context) -> task<> {
                    const bool slept = co_await context.sleep_for(std::chrono::nanoseconds::max());
                    const bool again = co_await context.sleep_for(1h); // the stop request is still set
                    must(!slept && !again, "stopped");
                  }};
  endless.start();
  endless.stop();
  CHECK(endless.wait().thrown.empty());
}

TEST_CASE("shorter sleeps end first", "[executor][coroutines]") {
  const runtime f{1};
  std::vector<int> woken;
  std::deque<one_run> runs;
  for (const int delay : {60, 20, 40})
    runs.emplace_back(f.threads, [&woken, delay](job_context& context) -> task<> {
      co_await context.sleep_for(std::chrono::milliseconds{delay});
      woken.push_back(delay); // one thread, so no concurrent access
    }).start();
  for (auto& run : runs)
    (void)run.wait();
  CHECK(woken == std::vector<int>{20, 40, 60});
}

TEST_CASE("handles a stop while a sleep begins or ends", "[executor][coroutines]") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random{seed};
  const runtime f{3};
  std::atomic<int> ended_runs = 0;
  std::deque<one_run> runs;
  constexpr int count = 2000;
  for (int i = 0; i < count; ++i) {
    const std::chrono::microseconds time{random() % 300};
    runs.emplace_back(f.threads, [&ended_runs, time](job_context& context) -> task<> {
      for (bool slept = true; slept;)
        slept = co_await context.sleep_for(time);
      ++ended_runs;
    }).start();
    if (i > 10)
      runs[runs.size() - 1 - random() % 10].stop();
  }
  for (auto& run : runs)
    run.stop();
  for (auto& run : runs)
    (void)run.wait();
  CHECK(ended_runs == count);
}

TEST_CASE("a task awaits others, with values and exceptions", "[executor][coroutines]") {
  const runtime f;
  const auto out = f.run([](job_context& context) -> task<> {
    auto kept = number(40);
    const auto many = co_await std::move(kept);
    const auto few = co_await number(2);
    std::string caught;
    try {
      co_await throw_it("below");
    } catch (const std::runtime_error& thrown) {
      caught = thrown.what();
    }
    auto never = number(1); // destroyed before it begins
    const auto deep = co_await depth(200);
    context.succeed(std::to_string(many + few) + " " + caught + " " + std::to_string(deep));
  });
  CHECK(out.outcome.message == "42 below 200");
}

TEST_CASE("a loop over tasks that end at once needs no stack", "[executor][coroutines]") {
  const runtime f;
  const auto out = f.run([](job_context& context) -> task<> {
    const auto sum = co_await sum_below(10'000);
    context.succeed(std::to_string(sum));
  });
  CHECK(out.outcome.message == "49995000");
}

TEST_CASE("blocking code runs on its own thread", "[executor][coroutines]") {
  const runtime f{1};
  const auto out = f.run([&f](job_context& context) -> task<> {
    const auto here = std::this_thread::get_id();
    const auto there = co_await context.run_blocking([] { return std::this_thread::get_id(); });
    must(there != here, "elsewhere");
    must(f.threads->is_one_of_them(), "back again");
    auto text = std::make_unique<std::string>("moved");
    auto move_it = [text = std::move(text)]() mutable { return std::move(text); };
    const auto back = co_await context.run_blocking(move_it);
    co_await context.run_blocking([] {});
    std::string caught;
    try {
      co_await context.run_blocking([] { throw std::runtime_error{"from there"}; });
    } catch (const std::runtime_error& thrown) {
      caught = thrown.what();
    }
    context.succeed(*back + " " + caught);
  });
  CHECK(out.thrown.empty());
  CHECK(out.outcome.message == "moved from there");
}

TEST_CASE("blocking code does not delay other runs", "[executor][coroutines]") {
  const runtime f{1};
  std::promise<void> go;
  one_run blocked{f.threads, [may = go.get_future().share()](job_context& context) -> task<> {
                    co_await context.run_blocking([&may] { may.wait(); });
                  }};
  blocked.start();
  CHECK(f.run(nothing).outcome.code == 200);
  CHECK_FALSE(blocked.has_ended());
  go.set_value();
  CHECK(blocked.wait().outcome.code == 200);
}

TEST_CASE("blocking code fails if no thread is available", "[executor][coroutines]") {
  const runtime f{1, 0};
  const auto out = f.run([](job_context& context) -> task<> { co_await context.run_blocking([] {}); });
  CHECK(out.thrown.starts_with("no thread available for blocking code"));
}

TEST_CASE("a coroutine resumed by another thread ends on an executor thread", "[executor][coroutines]") {
  const runtime f;
  foreign_event event;
  bool elsewhere = false, back = false;
  one_run run{f.threads, [&](job_context& context) -> task<> {
                co_await event;
                elsewhere = !f.threads->is_one_of_them();
                co_await context.sleep_for(0s);
                back = f.threads->is_one_of_them();
              }};
  run.start();
  event.wait_until_awaited();
  event.fire();
  CHECK(run.wait().on_task_thread);
  CHECK(elsewhere);
  CHECK(back);
}

TEST_CASE("a run that is never resumed keeps its data and does not delay the stop", "[executor][coroutines]") {
  foreign_event event;
  auto held = std::make_shared<std::string>("held");
  const std::weak_ptr<std::string> seen = held;
  const runtime f;
  std::optional<one_run> run{std::in_place, f.threads, [&event, held](job_context& context) -> task<> {
                               co_await event;
                               context.succeed(*held + (context.stop_requested() ? " and stopped" : ""));
                             }};
  held.reset();
  run->start();
  event.wait_until_awaited();
  run->stop();
  f.threads->close();
  CHECK_FALSE(f.threads->wait_until_idle(1ms));
  CHECK_FALSE(seen.expired());
  event.fire();
  CHECK(run->wait().outcome.message == "held and stopped");
  CHECK(f.threads->wait_until_idle(1min));
  run.reset();
  CHECK(seen.expired());
}

TEST_CASE("nothing begins after the end", "[executor][coroutines]") {
  const runtime f;
  f.threads->close();
  CHECK_FALSE(f.threads->start([] {}));
}

TEST_CASE("a context without threads blocks", "[executor][coroutines]") {
  const core::trigger_request request;
  test::silent_log log;
  const job_context::stop_reason_source why = [] { return std::string{}; };
  const job_context context{request, log, {}, why};
  auto nap = context.sleep_for(1ms);
  REQUIRE(nap.await_ready());
  CHECK(nap.await_resume());
  auto call = context.run_blocking([] { return 7; });
  REQUIRE(call.await_ready());
  CHECK(call.await_resume() == 7);
}
