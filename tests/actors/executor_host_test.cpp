#include "tests/actors/executor_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using core::block_strategy;
using test::told_result;

namespace {

using told_results = std::vector<told_result>;

const std::string busy_text = "job thread is running or has trigger queue.";
const std::string killed = "scheduling center kill job.";
const std::string covered = "block strategy effect：Cover Early";
const std::string was_running = " [job running, killed]";
const std::string was_waiting = " [job not executed, in the job queue, killed.]";

struct hosted : test::executor_world {
  hosted() { start(); }

  /// Sends a run whose thread hangs until `threads->release()`.
  void hang(core::trigger_request asked) {
    threads->keep_next = true;
    REQUIRE(told(std::move(asked)) == "ok");
    REQUIRE(threads->kept.size() == 1);
  }
  core::trigger_request with(core::trigger_request made, block_strategy block) {
    made.block = block;
    return made;
  }
  core::trigger_request script(std::int64_t run, std::int64_t version) {
    auto made = request(run, "");
    made.glue_type = "GLUE_SHELL";
    made.glue_updated_ms = version;
    return made;
  }
};

} // namespace

TEST_CASE_METHOD(hosted, "a run is accepted, runs and is reported, with the lines of its log", "[actors][executor]") {
  auto asked = request(11, "ok", "a=1");
  CHECK(told(asked) == "ok");
  CHECK(results().empty());
  settle();
  CHECK(results() == told_results{{11, 200, "(none)"}});
  CHECK(log_of(11) == "<br>----------- xxl-job job execute start -----------<br>----------- Param:a=1\n"
                      "<br>----------- xxl-job job execute end(finish) -----------<br>----------- Result: handleCode=200, "
                      "handleMsg = null\n"
                      "<br>----------- xxl-job job callback finish.\n");
  CHECK(state().runs_taken == 1);
  CHECK(state().running == 0);
  CHECK(state().unreported == 0);
}

TEST_CASE_METHOD(hosted, "a different run with a known id runs, a copy does not", "[actors][executor]") {
  const auto earlier = request(11, "ok", "earlier");
  auto later_run = request(11, "ok", "later");
  later_run.log_time += 15s;
  auto other_job = request(11, "ok", "other job", 2);
  const std::string repeat = "500 repeat trigger job, logId:11";
  CHECK(told(earlier) == "ok");
  SECTION("while the first waits or runs") {}
  SECTION("after it") { settle(); }
  SECTION("after a restart of the process") {
    settle();
    kill_process();
    start();
  }
  SECTION("after a restart of the process, with the run left open") {
    kill_process();
    start();
  }
  CHECK(told(later_run) == "ok");
  CHECK(told(other_job) == "ok");
  for (const auto& each : {earlier, later_run, other_job})
    CHECK(told(each) == repeat);
  // Fractions of a second are ignored.
  auto rounded = later_run;
  rounded.log_time += 900ms;
  CHECK(told(rounded) == repeat);
  const auto knows = [this](const core::trigger_request& of) {
    return expect(ask<core::trigger_reply>(host, protocol::taken_query{of.run, of.log_time, of.job})).code;
  };
  CHECK(knows(later_run) == 200);
  auto never = later_run;
  never.log_time += 1s;
  CHECK(knows(never) == 404);
  settle();
  CHECK(results().size() == 3);
  CHECK(runs->empty());
}

TEST_CASE_METHOD(hosted, "a run without a parameter prints null", "[actors][executor]") {
  auto asked = request(11, "ok");
  asked.param.reset();
  CHECK(told(asked) == "ok");
  settle();
  CHECK(log_of(11).find("Param:null\n") != std::string::npos);
}

TEST_CASE_METHOD(hosted, "the result of a body is reported", "[actors][executor]") {
  bodies->add("long", [](const auto&, auto, const auto&) { return core::run_outcome{200, std::string(60'000, 'm')}; });
  bodies->add("wide", [](const auto&, auto, const auto&) {
    std::string text(49'999, 'm');
    return core::run_outcome{200, text + "\xF0\x9F\x98\x80"};
  });
  bodies->add("broken", [](const auto&, auto, const auto&) { return core::run_outcome{200, "a\xFF" "b"}; });
  bodies->add("odd", [](const auto&, auto, const auto&) -> core::run_outcome { throw 7; });
  std::int64_t run = 0;
  for (const auto* handler : {"bad", "boom", "zero", "nine", "long", "wide", "broken", "odd"}) {
    ++run;
    CHECK(told(request(run, handler, "", static_cast<int>(run))) == "ok");
  }
  settle();
  CHECK(results() == told_results{{1, 500, "no stock"},
                                  {2, 500, "kaboom"},
                                  {3, 500, "job handle result lost."},
                                  {4, 999, "n"},
                                  {5, 200, std::string(50'000, 'm') + "..."},
                                  {6, 200, std::string(49'999, 'm') + "..."},
                                  {7, 200, "a\xEF\xBF\xBD" "b"},
                                  {8, 500, "the handler threw an exception that is not a std::exception"}});
  CHECK(log_of(2).find("<br>----------- JobThread Exception:kaboom<br>----------- xxl-job job execute end(error)")
        != std::string::npos);
}

TEST_CASE_METHOD(hosted, "a run without a handler is refused, and no result is reported", "[actors][executor]") {
  CHECK(told(request(1, "ghost")) == "500 job handler [ghost] not found.");
  auto ruby = request(2, "ok");
  ruby.glue_type = "GLUE_RUBY";
  CHECK(told(ruby) == "500 glueType[GLUE_RUBY] is not valid.");
  ruby.glue_type.reset();
  CHECK(told(ruby) == "500 glueType[null] is not valid.");
  settle();
  CHECK(results().empty());
  CHECK(state().job_threads == 0);
  CHECK(told(request(1, "ok")) == "ok");
}

TEST_CASE_METHOD(hosted, "runs of one job run one after the other, runs of two jobs in parallel", "[actors][executor]") {
  CHECK(told(request(21, "sleep", "3")) == "ok");
  CHECK(told(request(22, "sleep", "1")) == "ok");
  CHECK(threads->waiting.size() == 1);
  CHECK(told(request(23, "ok", "", 2)) == "ok");
  CHECK(threads->waiting.size() == 2);
  const auto began = now();
  settle();
  CHECK(results() == told_results{{23, 200, "(none)"}, {21, 200, "(none)"}, {22, 200, "(none)"}});
  CHECK(now() - began == 4s);
}

TEST_CASE_METHOD(hosted, "a job is idle when nothing of it runs or waits", "[actors][executor]") {
  CHECK(idle().code == 200);
  CHECK(idle().message.empty());
  hang(request(21, "ok"));
  CHECK(idle().code == 500);
  CHECK(idle().message == busy_text);
  CHECK(idle(2).code == 200);
  CHECK(told(request(22, "ok")) == "ok");
  CHECK(state().waiting == 1);
  CHECK(idle().message == busy_text);
  threads->release();
  settle();
  CHECK(idle().code == 200);
}

TEST_CASE_METHOD(hosted, "a run is accepted once, whether it waits, runs or has ended", "[actors][executor]") {
  hang(request(21, "ok"));
  CHECK(told(request(21, "ok")) == "500 repeat trigger job, logId:21");
  CHECK(told(request(22, "ok")) == "ok");
  CHECK(told(request(22, "ok")) == "500 repeat trigger job, logId:22");
  // The second copy kills nothing.
  CHECK(told(with(request(21, "bad"), block_strategy::cover_early)) == "500 repeat trigger job, logId:21");
  threads->release();
  settle();
  CHECK(results() == told_results{{21, 200, "(none)"}, {22, 200, "(none)"}});
  CHECK(told(request(22, "ok")) == "500 repeat trigger job, logId:22");
  CHECK(state().runs_taken == 2);
}

TEST_CASE_METHOD(hosted, "it is known whether a run was accepted while it waits, runs, after its end and later",
                 "[actors][executor]") {
  const auto code = [&](std::int64_t run) {
    return expect(ask<core::trigger_reply>(host, protocol::taken_query{core::log_id{run}, start_time})).code;
  };
  CHECK(code(21) == 404);
  hang(request(21, "ok"));
  CHECK(told(request(22, "ok")) == "ok");
  CHECK(code(21) == 200);
  CHECK(code(22) == 200);
  CHECK(code(23) == 404);
  CHECK(told(with(request(24, "ok"), block_strategy::discard_later)).starts_with("500"));
  CHECK(code(24) == 404); // it may be sent again
  threads->release();
  settle();
  CHECK(code(21) == 200);
  kill_process();
  start();
  CHECK(code(21) == 200);
  CHECK(code(23) == 404);
}

TEST_CASE_METHOD(hosted, "a run that an earlier process began is refused", "[actors][executor]") {
  CHECK(told(request(21, "ok")) == "ok");
  REQUIRE(threads->run_one());
  kill_process();
  start();
  CHECK(told(request(21, "ok")) == "500 repeat trigger job, logId:21");
  CHECK(told(request(22, "ok")) == "ok");
}

TEST_CASE_METHOD(hosted, "a run that was killed before it began is not accepted again", "[actors][executor]") {
  hang(request(21, "ok"));
  CHECK(told(request(22, "ok")) == "ok");
  CHECK(kill().code == 200);
  settle();
  CHECK(told(request(22, "ok")) == "500 repeat trigger job, logId:22");
}

TEST_CASE_METHOD(hosted, "a kill that names a run ends only that run", "[actors][executor]") {
  hang(request(21, "ok"));
  CHECK(told(request(22, "ok")) == "ok");
  CHECK(told(request(23, "ok")) == "ok");
  CHECK(kill(1, 22).message.empty());
  CHECK(state().waiting == 1);
  CHECK(kill(1, 22).message == "job thread already killed.");
  CHECK(kill(1, 99).message == "job thread already killed.");
  CHECK(state().running == 1);
  CHECK(kill(1, 21).message.empty());
  CHECK(state().running == 1);
  CHECK(state().waiting == 0);
  settle();
  CHECK(told(request(22, "ok")) == "500 repeat trigger job, logId:22");
}

TEST_CASE_METHOD(hosted, "two copies in one batch are one run", "[actors][executor]") {
  protocol::trigger_batch batch{{request(21, "ok"), request(21, "ok"), request(22, "ghost"), request(23, "ok", "", 2)}};
  auto told = expect(ask<protocol::trigger_replies>(host, std::move(batch)));
  REQUIRE(told.replies.size() == 4);
  CHECK(told.replies[0].code == 200);
  CHECK(told.replies[1].message == "repeat trigger job, logId:21");
  CHECK(told.replies[2].message == "job handler [ghost] not found.");
  CHECK(told.replies[3].code == 200);
  CHECK(expect(ask<protocol::trigger_replies>(host, protocol::trigger_batch{})).replies.empty());
}

TEST_CASE_METHOD(hosted, "requests without an id run every time", "[actors][executor]") {
  for (int i = 0; i < 2; ++i) {
    CHECK(told(request(0, "ok")) == "ok");
    settle();
  }
  CHECK(results().size() == 2);
}

TEST_CASE_METHOD(hosted, "discard later refuses while the job is busy, and a refused run may be sent again",
                 "[actors][executor]") {
  hang(request(21, "ok"));
  CHECK(told(with(request(23, "ok"), block_strategy::discard_later)) == "500 block strategy effect：Discard Later");
  threads->release();
  settle();
  CHECK(results() == told_results{{21, 200, "(none)"}});
  CHECK(told(with(request(23, "ok"), block_strategy::discard_later)) == "ok");
  settle();
  CHECK(results().back() == told_result{23, 200, "(none)"});
}

TEST_CASE_METHOD(hosted, "cover early ends running and waiting runs, then runs", "[actors][executor]") {
  CHECK(told(request(31, "sleep", "60")) == "ok");
  std::optional<std::string> said;
  bodies->add("cover", [&](const auto&, auto, const auto&) {
    CHECK(told(request(32, "sleep", "1")) == "ok");
    said = told(with(request(33, "sleep", "1"), block_strategy::cover_early));
    return core::run_outcome{};
  });
  CHECK(told(request(1, "cover", "", 2)) == "ok");
  settle();
  CHECK(said == "ok");
  const auto told = results();
  for (const auto& result : told_results{{31, 500, covered + was_running}, {32, 500, covered + was_waiting}, {33, 200, "(none)"}})
    CHECK(std::count(told.begin(), told.end(), result) == 1);
  CHECK(told.size() == 4);
  CHECK(log_of(31).find("<br>----------- JobThread toStop, stopReason:" + covered + "\n") != std::string::npos);
  CHECK(log_of(31).find("handleMsg = stopped: " + covered) != std::string::npos);
  CHECK(bodies->told == std::vector<std::string>{"init sleep", "init cover", "init sleep", "destroy sleep"});
}

TEST_CASE_METHOD(hosted, "a different handler ends the worker of the previous one", "[actors][executor]") {
  hang(request(41, "sleep", "60"));
  CHECK(told(request(42, "sleep", "60")) == "ok");
  CHECK(told(request(43, "ok")) == "ok");
  settle();
  const std::string changed = "change jobhandler or glue type, and terminate the old job thread.";
  CHECK(results() == told_results{{41, 500, changed + was_running}, {42, 500, changed + was_waiting}, {43, 200, "(none)"}});
}

TEST_CASE_METHOD(hosted, "a run with a different handler is not refused by discard later", "[actors][executor]") {
  hang(request(41, "sleep", "60"));
  CHECK(told(with(request(43, "ok"), block_strategy::discard_later)) == "ok");
}

TEST_CASE_METHOD(hosted, "a different version of a script ends the worker of the previous one", "[actors][executor]") {
  hang(script(41, 1));
  CHECK(told(script(42, 1)) == "ok");
  CHECK(told(script(43, 2)) == "ok");
  settle();
  const std::string changed = "change job source or glue type, and terminate the old job thread.";
  CHECK(results() == told_results{{41, 500, changed + was_running}, {42, 500, changed + was_waiting}, {43, 200, "(none)"}});
  CHECK(bodies->scripts.size() == 2);
}

TEST_CASE_METHOD(hosted, "an unknown handler does not affect the worker", "[actors][executor]") {
  hang(request(41, "ok"));
  CHECK(told(request(42, "ghost")) == "500 job handler [ghost] not found.");
  threads->release();
  settle();
  CHECK(results() == told_results{{41, 200, "(none)"}});
}

TEST_CASE_METHOD(hosted, "a kill ends running and waiting runs at once", "[actors][executor]") {
  hang(request(41, "sleep", "9"));
  CHECK(told(request(42, "sleep", "9")) == "ok");
  CHECK(kill().code == 200);
  CHECK(kill().message == "job thread already killed.");
  settle();
  CHECK(results() == told_results{{41, 500, killed + was_running}, {42, 500, killed + was_waiting}});
  CHECK(idle().code == 200);
  CHECK(told(request(43, "ok")) == "ok");
  settle();
  CHECK(results().back() == told_result{43, 200, "(none)"});
}

TEST_CASE_METHOD(hosted, "a kill without a worker reports that; an idle worker can be killed", "[actors][executor]") {
  CHECK(kill().code == 200);
  CHECK(kill().message == "job thread already killed.");
  CHECK(told(request(41, "ok")) == "ok");
  settle();
  CHECK(kill().message.empty());
  settle();
  CHECK(bodies->told == std::vector<std::string>{"init ok", "destroy ok"});
  CHECK(state().job_threads == 0);
}

TEST_CASE_METHOD(hosted, "logs are read on threads, with a limit on concurrent reads", "[actors][executor]") {
  logs->append({core::log_id{7}, core::job_id{1}, start_time}, "line\n");
  const protocol::log_query asked{core::log_id{7}, start_time, 1, core::log_bounds{5000, 2}};
  auto answer = later<core::log_lines>(host, asked);
  run();
  CHECK_FALSE(answer->has_value());
  settle();
  REQUIRE(answer->has_value());
  CHECK(expect(**answer).text == "line\n");
  CHECK(logs->last_bounds == asked.bounds);

  auto missing = later<core::log_lines>(host, protocol::log_query{core::log_id{8}, start_time, 1});
  settle();
  CHECK(expect(**missing).ended);

  logs->broken = true;
  auto failed = later<core::log_lines>(host, asked);
  settle();
  CHECK_FALSE(**failed);

  std::vector<std::shared_ptr<std::optional<caf::expected<core::log_lines>>>> many;
  logs->broken = false;
  for (std::size_t i = 0; i <= actors::executor_host_state::reads_max; ++i)
    many.push_back(later<core::log_lines>(host, asked));
  run();
  REQUIRE(many.back()->has_value());
  CHECK_FALSE(**many.back());
  settle();
  CHECK(many.front()->has_value());

  threads->refusing = true;
  CHECK_FALSE(ask<core::log_lines>(host, asked));
}

TEST_CASE_METHOD(hosted, "a thousand jobs have a worker each, and a single timer", "[actors][executor]") {
  for (int i = 1; i <= 1000; ++i) {
    auto asked = request(i, "ok", "", i);
    asked.timeout_s = 5;
    CHECK(told(std::move(asked)) == "ok");
  }
  CHECK(state().job_threads == 1000);
  CHECK(threads->waiting.size() == 1000);
  CHECK(state().running == 1000);
  settle();
  CHECK(results().size() == 1000);
  CHECK(state().running == 0);
  pass(95s);
  CHECK(state().job_threads == 0);
  CHECK(bodies->told.size() == 2000);
}
