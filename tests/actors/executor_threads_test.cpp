#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/actors/executor_fixture.hpp"

// Actors of the executor on real threads; to be run with a race detector.

using namespace ringmaster;
using namespace std::chrono_literals;

namespace {

class own_threads final : public actors::body_threads {
public:
  ~own_threads() override { join(); }
  bool start(std::function<void()> work) override {
    std::lock_guard guard{mutex_};
    threads_.emplace_back(std::move(work));
    return true;
  }
  void join() {
    for (;;) {
      std::unique_lock guard{mutex_};
      if (threads_.empty())
        return;
      auto next = std::move(threads_.back());
      threads_.pop_back();
      guard.unlock();
      next.join();
    }
  }

private:
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

class locked_logs final : public actors::job_logs {
public:
  core::result<bool> has(const core::run_identity& which) override {
    std::lock_guard guard{mutex_};
    return logs_.has(which);
  }
  core::result<core::log_lines> read(const core::run_identity& which, std::int32_t from,
                                     const std::optional<core::log_bounds>& bounds = {}) override {
    std::lock_guard guard{mutex_};
    return logs_.read(which, from, bounds);
  }
  core::result<void> append(const core::run_identity& which, std::string_view text) override {
    std::lock_guard guard{mutex_};
    return logs_.append(which, text);
  }

private:
  std::mutex mutex_;
  test::memory_logs logs_;
};

/// Client that accepts everything and lets the test wait for it.
class waiting_client final : public protocol::http_client {
public:
  void post(std::vector<protocol::http_call>&& calls, completion done) override {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      {
        std::lock_guard guard{mutex_};
        for (const auto& result : test::results_in(calls[i]))
          ++times_[result.run];
      }
      more_.notify_all();
      done(i, test::http_answer(R"({"code":200})"));
    }
  }
  /// Returns the number of reports of each run, as soon as `runs` were reported, or late.
  std::map<std::int64_t, int> wait_for(std::size_t runs) {
    std::unique_lock guard{mutex_};
    more_.wait_for(guard, 30s, [&] { return times_.size() >= runs; });
    return times_;
  }

private:
  std::mutex mutex_;
  std::condition_variable more_;
  std::map<std::int64_t, int> times_;
};

/// Three bodies: one ends at once, one when it is stopped or a little later, one throws.
class three_bodies final : public actors::body_source {
public:
  three_bodies() {
    auto body = std::make_shared<actors::run_body>();
    body->run = [](const core::trigger_request& asked, std::stop_token stop, const auto& reason) {
      switch (core::number(asked.run) % 3) {
      case 0: return core::run_outcome{};
      case 1: {
        std::mutex mutex;
        std::condition_variable_any stopped;
        std::unique_lock guard{mutex};
        const bool early = stopped.wait_for(guard, stop, 5ms, [&] { return stop.stop_requested(); });
        return core::run_outcome{200, early ? reason() : "in time"};
      }
      default: throw std::runtime_error{"kaboom"};
      }
    };
    body_ = std::move(body);
  }
  core::result<std::shared_ptr<const actors::run_body>> find(const core::trigger_request&,
                                                             const std::shared_ptr<const actors::run_body>&) override {
    return body_;
  }

private:
  std::shared_ptr<const actors::run_body> body_;
};

} // namespace

TEST_CASE("on real threads each accepted run is reported once", "[actors][executor]") {
  caf::actor_system_config config;
  config.set("caf.scheduler.max-threads", 2);
  auto threads = std::make_shared<own_threads>();
  auto client = std::make_shared<waiting_client>();
  auto counts = std::make_shared<actors::executor_counts>();
  auto logs = std::make_shared<locked_logs>();
  auto runs = std::make_shared<test::memory_runs>();
  const auto log = test::virtual_time::silent_log();
  caf::actor_system system{config};
  caf::scoped_actor self{system};
  const actors::admin_link_settings settings{{"http://a:8080"}, "pay-worker", {}, 3s};
  auto link = system.spawn<protocol::with_state<actors::admin_link_state, protocol::admin_link>>(client, settings, log);
  auto callbacks = system.spawn<protocol::with_state<actors::callback_actor_state, protocol::callback_actor>>(
    actors::callback_tools{link, 20s, threads, std::make_shared<test::memory_files>(), logs, runs, counts, log});
  auto host = system.spawn<protocol::with_state<actors::executor_host_state, protocol::executor_host>>(
    actors::host_tools{std::make_shared<three_bodies>(), threads, logs, runs, callbacks, counts, {}, log});

  std::vector<std::int64_t> taken_runs;
  for (std::int64_t run = 1; run <= 300; ++run) {
    core::trigger_request asked;
    asked.job = core::job_id{static_cast<std::int32_t>(run % 10)};
    asked.run = core::log_id{run};
    asked.log_time = test::virtual_time::start;
    asked.block = run % 7 == 0 ? core::block_strategy::cover_early : core::block_strategy::serial_execution;
    protocol::request(self.ptr(), host, 10s, protocol::trigger_batch{{asked, asked}})
      .receive(
        [&](const protocol::trigger_replies& told) {
          CHECK(told.replies[1].code == 500);
          if (told.replies[0].code == 200)
            taken_runs.push_back(run);
        },
        [](const caf::error& why) { FAIL(caf::to_string(why)); });
    if (run % 50 == 0)
      protocol::request(self.ptr(), host, 10s, protocol::kill_job{asked.job})
        .receive([](const core::trigger_reply&) {}, [](const caf::error& why) { FAIL(caf::to_string(why)); });
  }
  CHECK(taken_runs.size() == 300);
  const auto told = client->wait_for(taken_runs.size());
  protocol::request(self.ptr(), host, 30s, protocol::drain_request{10s})
    .receive([] {}, [](const caf::error& why) { FAIL(caf::to_string(why)); });
  CHECK(told.size() == 300);
  CHECK(std::all_of(told.begin(), told.end(), [](const auto& each) { return each.second == 1; }));
  CHECK(counts->unreported == 0);
  CHECK(counts->running == 0);
  CHECK(counts->waiting == 0);
  CHECK(runs->empty());
  for (const auto& actor : {caf::actor_cast<caf::actor>(host), caf::actor_cast<caf::actor>(callbacks),
                            caf::actor_cast<caf::actor>(link)})
    caf::anon_send_exit(actor, caf::exit_reason::kill);
  threads->join();
}
