#include "tests/actors/executor_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using core::block_strategy;
using test::told_result;

namespace {

using results_told = std::vector<told_result>;

struct working : test::executor_world {
  working() {
    settings.queue_max = 3;
    start();
  }

  void hang(core::trigger_request asked) {
    threads->keep_next = true;
    REQUIRE(told(std::move(asked)) == "ok");
    REQUIRE(threads->kept.size() == 1);
  }
  core::trigger_request limited(core::trigger_request made, std::int32_t seconds) {
    made.timeout_s = seconds;
    return made;
  }
};

const std::string stop_text = "web container destroy and kill the job.";

} // namespace

TEST_CASE_METHOD(working, "a run that exceeds its time limit is reported at the limit, and its worker goes on",
                 "[actors][executor]") {
  hang(limited(request(51, "ok"), 1));
  CHECK(told(request(52, "ok")) == "ok");
  pass(900ms);
  CHECK(results().empty());
  pass(200ms);
  CHECK(results() == results_told{{51, 502, "job execute timeout "}, {52, 200, "(none)"}});
  CHECK(log_of(51).starts_with("<br>----------- xxl-job job execute timeout\n"));
  CHECK(log_of(51).find("Result: handleCode=502, handleMsg = job execute timeout \n") != std::string::npos);
}

TEST_CASE_METHOD(working, "a body that exceeds its limit and obeys the stop reports nothing more", "[actors][executor]") {
  CHECK(told(limited(request(51, "sleep", "5"), 1)) == "ok");
  const auto began = now();
  settle();
  CHECK(now() - began < 1500ms);
  CHECK(results() == results_told{{51, 502, "job execute timeout "}});
  CHECK(log_of(51).find("stopped") == std::string::npos);
}

TEST_CASE_METHOD(working, "a late result of a body is dropped", "[actors][executor]") {
  CHECK(told(limited(request(51, "deaf", "9"), 1)) == "ok");
  bodies->add("killer", [&](const auto&, auto, const auto&) {
    pass(2s);
    CHECK(told(request(52, "ok")) == "ok");
    settle();
    CHECK(results() == results_told{{51, 502, "job execute timeout "}, {52, 200, "(none)"}});
    CHECK(idle().code == 200);
    return core::run_outcome{};
  });
  CHECK(told(request(1, "killer", "", 2)) == "ok");
  settle();
  CHECK(results().size() == 3);
  CHECK(log_of(51).find("done after all") == std::string::npos);
  CHECK(state().running == 0);
}

TEST_CASE_METHOD(working, "a body that ignores its stop keeps running next to its replacement", "[actors][executor]") {
  CHECK(told(request(51, "deaf", "9")) == "ok");
  bodies->add("killer", [&](const auto&, auto, const auto&) {
    CHECK(kill().message.empty());
    CHECK(told(request(52, "deaf", "1")) == "ok");
    settle();
    return core::run_outcome{};
  });
  CHECK(told(request(1, "killer", "", 2)) == "ok");
  settle();
  CHECK(results() == results_told{{51, 500, "scheduling center kill job. [job running, killed]"},
                                  {52, 200, "done after all"},
                                  {1, 200, "(none)"}});
  CHECK(log_of(51).find("stopReason:scheduling center kill job.\n") != std::string::npos);
}

TEST_CASE_METHOD(working, "a body that was stopped before its thread began is not called", "[actors][executor]") {
  bool called = false;
  bodies->add("late", [&](const auto&, auto, const auto&) {
    called = true;
    return core::run_outcome{};
  });
  hang(request(51, "late"));
  CHECK(kill().message.empty());
  threads->release();
  settle();
  CHECK_FALSE(called);
  CHECK(bodies->told.empty());
  CHECK(results() == results_told{{51, 500, "scheduling center kill job. [job running, killed]"}});
  CHECK(state().job_threads == 0);
}

TEST_CASE_METHOD(working, "a body that ends just before its limit is reported with its own result", "[actors][executor]") {
  CHECK(told(limited(request(51, "ok"), 1)) == "ok");
  REQUIRE(threads->run_one());
  advance(2s);
  settle();
  CHECK(results() == results_told{{51, 200, "(none)"}});
}

TEST_CASE_METHOD(working, "the last hook waits for all bodies of its worker", "[actors][executor]") {
  CHECK(told(limited(request(51, "deaf", "9"), 1)) == "ok");
  bodies->add("killer", [&](const auto&, auto, const auto&) {
    pass(2s);
    CHECK(kill().message.empty());
    pass(3s);
    CHECK(bodies->told == std::vector<std::string>{"init deaf", "init killer"});
    CHECK(state().job_threads == 2);
    return core::run_outcome{};
  });
  CHECK(told(request(1, "killer", "", 2)) == "ok");
  settle();
  CHECK(bodies->told == std::vector<std::string>{"init deaf", "init killer", "destroy deaf"});
  CHECK(kill(2).message.empty());
  settle();
  CHECK(state().job_threads == 0);
}

TEST_CASE_METHOD(working, "an idle worker ends once; the next run starts a new one", "[actors][executor]") {
  CHECK(told(request(61, "ok")) == "ok");
  settle();
  pass(90s);
  CHECK(bodies->told == std::vector<std::string>{"init ok"});
  CHECK(told(request(62, "ok")) == "ok");
  pass(90s);
  CHECK(bodies->told.size() == 1);
  pass(5s);
  CHECK(bodies->told == std::vector<std::string>{"init ok", "destroy ok"});
  CHECK(state().job_threads == 0);
  CHECK(told(request(63, "ok")) == "ok");
  settle();
  CHECK(bodies->told.back() == "init ok");
  CHECK(bodies->told.size() == 3);
  CHECK(results().size() == 3);
}

TEST_CASE_METHOD(working, "a run that arrives while its job's thread ends is not lost", "[actors][executor]") {
  CHECK(told(request(61, "ok")) == "ok");
  settle();
  // The last hook is on its thread when the run arrives.
  threads->keep_next = true;
  pass(95s);
  REQUIRE(threads->kept.size() == 1);
  CHECK(told(request(62, "ok")) == "ok");
  threads->release();
  settle();
  CHECK(results().back() == told_result{62, 200, "(none)"});
  CHECK(bodies->told == std::vector<std::string>{"init ok", "init ok", "destroy ok"});
}

TEST_CASE_METHOD(working, "exceptions of hooks are written only to the log of the process", "[actors][executor]") {
  auto body = std::make_shared<actors::run_body>();
  body->init = [] { throw std::runtime_error{"no"}; };
  body->destroy = [] { throw 7; };
  body->run = [](const auto&, auto, const auto&) { return core::run_outcome{}; };
  bodies->handlers["sour"] = body;
  CHECK(told(request(61, "sour")) == "ok");
  settle();
  CHECK(kill().code == 200);
  settle();
  CHECK(results() == results_told{{61, 200, "(none)"}});
}

/// Body that waits without a thread until the test ends it.
struct waiting_body {
  using done_function = std::function<void(core::run_outcome&&, std::exception_ptr)>;

  [[nodiscard]] std::shared_ptr<const actors::run_body> body() {
    auto out = std::make_shared<actors::run_body>();
    out->few_threads = few;
    out->start = [this](const core::trigger_request&, std::stop_token stop, auto, done_function done) {
      stops.push_back(std::move(stop));
      waiting.push_back(std::move(done));
    };
    out->destroy = [this] { ++destroyed; };
    return out;
  }

  std::shared_ptr<test::hand_threads> few = std::make_shared<test::hand_threads>();
  std::vector<std::stop_token> stops;
  std::vector<done_function> waiting;
  int destroyed = 0;
};

TEST_CASE_METHOD(working, "a body that waits without a thread ends when it reports its result", "[actors][executor]") {
  waiting_body nap;
  bodies->handlers["nap"] = nap.body();
  for (const int run : {1, 2, 3})
    CHECK(told(request(run, "nap")) == "ok");
  settle();
  CHECK(nap.waiting.empty());
  for (std::size_t run = 0; run < 3; ++run) {
    REQUIRE(nap.few->run_one());
    settle();
    REQUIRE(nap.waiting.size() == run + 1); // one after the other
    CHECK(state().running == 1);
    CHECK(threads->waiting.empty());
    if (run == 1)
      nap.waiting[run]({}, std::make_exception_ptr(std::runtime_error{"kaboom"}));
    else
      nap.waiting[run]({200, "slept"}, nullptr);
    settle();
  }
  CHECK(results() == results_told{{1, 200, "slept"}, {2, 500, "kaboom"}, {3, 200, "slept"}});
  CHECK(log_of(2).find("JobThread Exception:kaboom") != std::string::npos);
  CHECK(state().running == 0);
}

TEST_CASE_METHOD(working, "a waiting body is notified of its stop, and its late result is dropped", "[actors][executor]") {
  waiting_body nap;
  bodies->handlers["nap"] = nap.body();
  CHECK(told(request(1, "nap")) == "ok");
  settle();
  REQUIRE(nap.few->run_one());
  CHECK(kill().code == 200);
  settle();
  CHECK(results() == results_told{{1, 500, "scheduling center kill job. [job running, killed]"}});
  REQUIRE(nap.stops.size() == 1);
  CHECK(nap.stops[0].stop_requested());
  CHECK(nap.destroyed == 0);
  nap.waiting[0]({200, "too late"}, nullptr);
  settle();
  CHECK(nap.destroyed == 1);
  CHECK(results().size() == 1);
}

TEST_CASE_METHOD(working, "a waiting body that cannot begin has failed", "[actors][executor]") {
  auto body = std::make_shared<actors::run_body>();
  body->start = [](const auto&, auto, auto, const auto&) { throw std::runtime_error{"no memory"}; };
  bodies->handlers["never"] = body;
  CHECK(told(request(1, "never")) == "ok");
  settle();
  CHECK(results() == results_told{{1, 500, "no memory"}});
}

TEST_CASE_METHOD(working, "a full queue refuses, and the run may be sent again", "[actors][executor]") {
  hang(request(1, "ok"));
  for (int run = 2; run <= 4; ++run)
    CHECK(told(request(run, "ok")) == "ok");
  CHECK(told(request(5, "ok")) == "500 the queue of job 1 is full: 3 runs wait");
  CHECK(told(request(6, "ok", "", 2)) == "ok");
  threads->release();
  settle();
  CHECK(told(request(5, "ok")) == "ok");
  settle();
  CHECK(results().size() == 6);
}

TEST_CASE_METHOD(working, "cover early makes room in a full queue", "[actors][executor]") {
  hang(request(1, "ok"));
  for (int run = 2; run <= 4; ++run)
    CHECK(told(request(run, "ok")) == "ok");
  auto cover = request(5, "ok");
  cover.block = block_strategy::cover_early;
  CHECK(told(cover) == "ok");
  settle();
  CHECK(results().size() == 5);
  CHECK(results().back() == told_result{5, 200, "(none)"});
}

TEST_CASE_METHOD(working, "a run without a thread fails; later runs wait for the next check", "[actors][executor]") {
  threads->refusing = true;
  CHECK(told(request(1, "ok")) == "ok");
  CHECK(told(request(2, "ok")) == "ok");
  CHECK(state().waiting == 1);
  threads->refusing = false;
  pass(1100ms);
  CHECK(results() == results_told{{1, 500, "the executor could not start a thread for this run"}, {2, 200, "(none)"}});
  CHECK(told(request(1, "ok")) == "500 repeat trigger job, logId:1");
  CHECK(idle().code == 200);
}

TEST_CASE_METHOD(working, "a stop is requested even without a thread for it", "[actors][executor]") {
  bool stopped = false;
  bodies->add("told", [&](const auto&, std::stop_token stop, const auto& reason) {
    threads->refusing = true;
    CHECK(kill().code == 200);
    threads->refusing = false;
    stopped = stop.stop_requested() && reason() == "scheduling center kill job.";
    return core::run_outcome{};
  });
  CHECK(told(request(1, "told")) == "ok");
  settle();
  CHECK(stopped);
}

TEST_CASE_METHOD(working, "a drain waits for running runs and accepts no new ones", "[actors][executor]") {
  CHECK(told(request(1, "sleep", "2")) == "ok");
  CHECK(told(request(2, "sleep", "0")) == "ok");
  auto drained = later<caf::unit_t>(host, protocol::drain_request{5s});
  run();
  CHECK(told(request(3, "ok")) == "503 this executor is stopping");
  pass(3s);
  REQUIRE(drained->has_value());
  CHECK(results() == results_told{{1, 200, "(none)"}, {2, 200, "(none)"}});
  CHECK(bodies->told == std::vector<std::string>{"init sleep", "destroy sleep"});
  CHECK(ask_done(host, protocol::drain_request{5s}) == caf::error{});
}

TEST_CASE_METHOD(working, "a drain ends runs that take too long", "[actors][executor]") {
  CHECK(told(request(1, "sleep", "60")) == "ok");
  CHECK(told(request(2, "sleep", "60")) == "ok");
  auto drained = later<caf::unit_t>(host, protocol::drain_request{5s});
  pass(8s);
  REQUIRE(drained->has_value());
  CHECK(results() == results_told{{1, 500, stop_text + " [job running, killed]"},
                                  {2, 500, stop_text + " [job not executed, in the job queue, killed.]"}});
}

TEST_CASE_METHOD(working, "a drain does not wait indefinitely for a body that ignores its stop", "[actors][executor]") {
  hang(request(1, "ok"));
  auto drained = later<caf::unit_t>(host, protocol::drain_request{5s});
  pass(9s);
  CHECK_FALSE(drained->has_value());
  CHECK(results() == results_told{{1, 500, stop_text + " [job running, killed]"}});
  pass(2s);
  CHECK(drained->has_value());
}

TEST_CASE_METHOD(working, "an idle executor drains at once, also a second time", "[actors][executor]") {
  auto first = later<caf::unit_t>(host, protocol::drain_request{5s});
  auto second = later<caf::unit_t>(host, protocol::drain_request{5s});
  settle();
  CHECK(first->has_value());
  CHECK(second->has_value());
}

TEST_CASE_METHOD(working, "results that a drain cannot report are kept in files", "[actors][executor]") {
  client->answers = nullptr;
  CHECK(told(request(1, "ok")) == "ok");
  settle();
  CHECK(told(request(2, "ok")) == "ok");
  auto drained = later<caf::unit_t>(host, protocol::drain_request{5s});
  pass(9s);
  CHECK_FALSE(drained->has_value());
  pass(3s);
  REQUIRE(drained->has_value());
  CHECK(**drained);
  CHECK(files->reports() == 2);
}
