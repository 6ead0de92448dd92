#include "tests/actors/executor_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::http_answer;
using test::http_failure;
using test::told_result;

namespace {

using results_told = std::vector<told_result>;

struct keeping : test::executor_world {
  void hang(core::trigger_request asked) {
    threads->keep_next = true;
    REQUIRE(told(std::move(asked)) == "ok");
    REQUIRE(threads->kept.size() == 1);
  }
  /// Ends the process as with kill -9; later checks omit what was reported before.
  void kill_process() {
    executor_world::kill_process();
    told_before = executor_world::results().size();
  }
  [[nodiscard]] results_told results() const {
    auto all = executor_world::results();
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(told_before));
    return all;
  }
  void away() {
    client->answers = [](const protocol::http_call&) { return http_failure(protocol::delivery::not_sent, "connection refused"); };
  }
  void back() {
    client->answers = [](const protocol::http_call&) { return http_answer(R"({"code":200})"); };
  }

  std::size_t told_before = 0;
};

} // namespace

TEST_CASE_METHOD(keeping, "a run is stored from its acceptance until an admin has its result", "[actors][executor]") {
  start();
  client->answers = nullptr;
  CHECK(told(request(1, "bad")) == "ok");
  CHECK_FALSE(runs->empty());
  settle();
  REQUIRE(runs->runs.size() == 1);
  CHECK(runs->runs.begin()->second.begun);
  CHECK(runs->runs.begin()->second.report.message == "no stock");
  client->answer(http_answer(R"({"code":200})"));
  settle();
  CHECK(runs->empty());
}

TEST_CASE_METHOD(keeping, "a run whose result is in a file is not stored any more", "[actors][executor]") {
  start();
  away();
  CHECK(told(request(1, "ok")) == "ok");
  settle();
  CHECK(files->reports() == 1);
  CHECK(runs->empty());
  files->full = true;
  CHECK(told(request(2, "ok")) == "ok");
  pass(10s);
  CHECK(runs->runs.size() == 1);
}

TEST_CASE_METHOD(keeping, "a refused run is not stored", "[actors][executor]") {
  start();
  hang(request(1, "ok"));
  auto later = request(2, "ok");
  later.block = core::block_strategy::discard_later;
  CHECK(told(later) == "500 block strategy effect：Discard Later");
  CHECK(told(request(3, "ghost", "", 2)) == "500 job handler [ghost] not found.");
  CHECK(runs->runs.size() == 1);
  CHECK(told(request(0, "ok", "", 3)) == "ok");
  CHECK(runs->runs.size() == 1);
}

TEST_CASE_METHOD(keeping, "runs left open by a kill of the process are reported after its restart, once", "[actors][executor]") {
  start();
  client->answers = nullptr;
  CHECK(told(request(1, "bad", "", 1)) == "ok");
  settle();
  CHECK(told(request(2, "nine", "", 2)) == "ok");
  settle();
  hang(request(3, "ok", "", 3));
  CHECK(told(request(4, "ok", "", 3)) == "ok");
  kill_process();
  const results_told expected{
    {1, 500, "no stock"}, {2, 999, "n"}, {3, 500, "ended while it ran"}, {4, 500, "ended before it began"}};
  SECTION("its admin is there") {
    back();
    start();
    CHECK(results() == expected);
    CHECK(files->saved == 0);
    CHECK(log_of(4).starts_with("<br>----------- reported by the next start of the executor<br>----------- Result: "
                                "handleCode=500, handleMsg = ended before it began\n"));
  }
  SECTION("its admin is away") {
    away();
    start();
    CHECK(results() == expected);
    CHECK(files->reports() == 4);
    CHECK(runs->empty());
    back();
    pass(35s);
    CHECK(files->files.empty());
  }
  SECTION("it is killed again") {
    client->answers = nullptr;
    start();
    CHECK(results() == expected);
    kill_process();
    back();
    start();
    CHECK(results() == expected);
  }
  CHECK(runs->empty());
  CHECK(counts->unreported == 0);
  for (int run = 1; run <= 4; ++run)
    CHECK(told(request(run, "ok", "", std::min(run, 3))) == "500 repeat trigger job, logId:" + std::to_string(run));
}

TEST_CASE_METHOD(keeping, "copies of runs left open are refused before these are reported", "[actors][executor]") {
  start();
  hang(request(1, "ok"));
  kill_process();
  client->answers = nullptr;
  start();
  logs->texts.clear();
  auto copy = request(1, "ok");
  copy.log_time += 900ms;
  CHECK(told(copy) == "500 repeat trigger job, logId:1");
}

TEST_CASE_METHOD(keeping, "runs of a broken job_thread are reported as failed", "[actors][executor]") {
  start();
  hang(request(1, "ok"));
  CHECK(told(request(2, "ok")) == "ok");
  CHECK(told(request(3, "ok", "", 2)) == "ok");
  settle();
  CHECK(results() == results_told{{3, 200, "(none)"}});
  threads->broken = true;
  kill();
  settle();
  const std::string lost = "the executor lost the run by a defect of its own; whether it ran to its end is not known";
  CHECK(results() == results_told{{3, 200, "(none)"}, {1, 500, lost}, {2, 500, lost}});
  CHECK(runs->empty());
  CHECK(counts->running == 0);
  CHECK(counts->waiting == 0);
  CHECK(told(request(2, "ok")) == "500 repeat trigger job, logId:2");
  CHECK(told(request(4, "ok")) == "ok");
  settle();
  CHECK(results().back() == told_result{4, 200, "(none)"});
}

TEST_CASE_METHOD(keeping, "without room no run is accepted; a thread makes more room", "[actors][executor]") {
  start();
  runs->full = runs->full_disk = true;
  CHECK(told(request(1, "ok")) == "500 no room for another run");
  settle();
  CHECK(runs->grown == 1);
  CHECK(told(request(1, "ok")) == "500 no room for another run");
  settle();
  CHECK(runs->grown == 1);
  runs->full_disk = false;
  pass(5s);
  CHECK(told(request(1, "ok")) == "500 no room for another run");
  settle();
  CHECK(runs->grown == 2);
  CHECK(told(request(1, "ok")) == "ok");
  settle();
  CHECK(results() == results_told{{1, 200, "(none)"}});
}

TEST_CASE_METHOD(keeping, "a run whose log cannot be created fails before it begins, and its copies are refused",
                 "[actors][executor]") {
  start();
  bool ran = false;
  bodies->add("watched", [&](const auto&, auto, const auto&) {
    ran = true;
    return core::run_outcome{};
  });
  logs->full = true;
  CHECK(told(request(1, "watched")) == "ok");
  settle();
  CHECK(results() == results_told{{1, 500, "the run did not begin, for its log cannot be made: the log cannot be written: "
                                           "No space left on device"}});
  CHECK_FALSE(ran);
  kill_process();
  start();
  CHECK(told(request(1, "watched")) == "500 repeat trigger job, logId:1");
  logs->full = false;
  pass(6s);
  CHECK(runs->empty());
  CHECK(told(request(1, "watched")) == "500 repeat trigger job, logId:1");
  CHECK(told(request(2, "watched")) == "ok");
  settle();
  CHECK(ran);
  CHECK(results() == results_told{{2, 200, "(none)"}});
}

TEST_CASE_METHOD(keeping, "a run is refused if it is unknown whether it began before", "[actors][executor]") {
  start();
  logs->broken = true;
  CHECK(told(request(1, "ok")) == "500 it is unknown whether this run began before: the disk hums");
  CHECK(told(request(0, "ok")) == "ok");
  logs->broken = false;
  CHECK(told(request(1, "ok")) == "ok");
}

TEST_CASE_METHOD(keeping, "a run whose log cannot be created refuses copies until the log can be created", "[actors][executor]") {
  start();
  hang(request(1, "ok"));
  CHECK(told(request(2, "ok")) == "ok");
  logs->full = true;
  kill();
  settle();
  CHECK(results().size() == 2);
  CHECK(runs->closed(10).size() == 2);
  kill_process();
  start();
  pass(20s);
  CHECK(results().empty());
  CHECK(told(request(2, "ok")) == "500 repeat trigger job, logId:2");
  logs->full = false;
  pass(6s);
  CHECK(runs->empty());
  CHECK(logs->texts.contains(core::log_id{2}));
  CHECK(told(request(2, "ok")) == "500 repeat trigger job, logId:2");
  const auto started = threads->started;
  pass(60s);
  CHECK(threads->started == started);
}
