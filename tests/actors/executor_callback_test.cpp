#include <algorithm>
#include <set>

#include "protocol/error.hpp"
#include "tests/actors/executor_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::http_answer;
using test::http_failure;
using test::told_result;

namespace {

const std::string refusal = R"({"code":500,"msg":"later","content":null})";

struct calling_back : test::executor_world {
  explicit calling_back(std::vector<std::string> admins = {"http://a:8080/xxl-job-admin"}) : executor_world{std::move(admins)} {}

  core::run_report report_of(std::int64_t run, std::optional<std::string> message = std::nullopt, std::int32_t code = 200) {
    return {core::log_id{run}, start_time, code, std::move(message)};
  }
  void report(std::int64_t first, std::int64_t last) {
    protocol::run_reports over;
    for (auto run = first; run <= last; ++run)
      over.reports.push_back(report_of(run));
    tell(callbacks, std::move(over));
  }
  void away() {
    client->answers = [](const protocol::http_call&) {
      return http_failure(protocol::delivery::not_sent, "connection refused");
    };
  }
  /// Refuses each request that has one of these runs in it.
  void refuse(std::set<std::int64_t> bad) {
    client->answers = [bad = std::move(bad)](const protocol::http_call& call) {
      for (const auto& result : test::results_in(call))
        if (bad.contains(result.run))
          return http_answer(refusal);
      return http_answer(R"({"code":200})");
    };
  }
  void keep(const std::string& name, std::int64_t first, std::int64_t last) {
    for (auto run = first; run <= last; ++run)
      files->files[name].push_back(report_of(run));
  }
  void back() {
    client->answers = [](const protocol::http_call&) { return http_answer(R"({"code":200})"); };
  }
  /// How often each run was told of.
  [[nodiscard]] std::map<std::int64_t, int> times() const {
    std::map<std::int64_t, int> out;
    for (const auto& result : results())
      ++out[result.run];
    return out;
  }
};

struct calling_back_two : calling_back {
  calling_back_two() : calling_back{{"http://a:8080", "http://b:8080"}} {}
};

/// Beside admins there are links.
struct calling_back_linked : calling_back {
  calling_back_linked() {
    links = track(system().spawn([this]() -> protocol::link_dialer::behavior_type {
      return {
        [this](protocol::run_reports& over) -> caf::result<void> {
          batches.push_back(std::move(over.reports));
          if (!up)
            return protocol::to_caf({core::errc::unavailable, "no native link is up"});
          return caf::unit;
        },
        [](protocol::link_farewell) {},
        [](const protocol::link_dialled&) {},
        [](const protocol::link_heard&) {},
        [](protocol::tick_atom) {},
      };
    }));
  }
  ~calling_back_linked() { end_all(); }
  void start_linked() {
    start();
    tell(callbacks, protocol::callback_partners{links});
    settle();
  }

  bool up = true;
  protocol::link_dialer links;
  std::vector<std::vector<core::run_report>> batches;
};

} // namespace

TEST_CASE_METHOD(calling_back_linked, "results go over a link, and to an admin when no link takes them", "[actors][executor]") {
  start_linked();
  report(1, 3);
  settle();
  REQUIRE(batches.size() == 1);
  CHECK(batches[0].size() == 3);
  CHECK(calls().empty());
  CHECK(counts->unreported == 0);
  up = false;
  report(4, 4);
  settle();
  CHECK(batches.size() == 2);
  CHECK(times() == std::map<std::int64_t, int>{{4, 1}});
  CHECK(counts->unreported == 0);
}

TEST_CASE_METHOD(calling_back_linked, "results that neither a link nor an admin takes are kept in files", "[actors][executor]") {
  away();
  up = false;
  start_linked();
  report(1, 2);
  settle();
  CHECK(counts->unreported == 2);
  CHECK_FALSE(files->files.empty());
  up = true;
  pass(6s);
  REQUIRE(batches.size() == 2);
  CHECK(batches[1].size() == 2);
  CHECK(counts->unreported == 0);
  CHECK(files->files.empty());
}

TEST_CASE_METHOD(calling_back, "a result is told at once, and many in requests of fifty, each once", "[actors][executor]") {
  start();
  client->answers = nullptr;
  report(1, 1);
  settle();
  REQUIRE(calls().size() == 1);
  report(2, 70);
  report(71, 120);
  settle();
  // Nobody has taken anything yet.
  CHECK(calls().size() == 1);
  client->answer(http_answer(R"({"code":200})"));
  settle();
  // What fills a request goes at once, what does not goes with what comes meanwhile.
  CHECK(calls().size() == 3);
  for (int i = 0; i < 4; ++i) {
    client->answer(http_answer(R"({"code":200})"));
    settle();
  }
  CHECK(client->pending() == 0);
  CHECK(calls().size() == 4);
  for (const auto& call : calls())
    CHECK(test::results_in(call).size() <= 50);
  CHECK(times().size() == 120);
  CHECK(results().size() == 120);
  CHECK(counts->unreported == 0);
  CHECK(files->saved == 0);
}

TEST_CASE_METHOD(calling_back, "many requests are on their way, and one that nobody takes loses nothing", "[actors][executor]") {
  start();
  report(1, 1);
  settle();
  client->answers = nullptr;
  report(2, 2'000);
  settle();
  CHECK(calls().size() == 17);
  CHECK(counts->unreported == 1'999);
  client->answer(http_answer(R"({"code":200})"));
  settle();
  CHECK(calls().size() == 18);
  client->answer(http_answer(refusal));
  settle();
  // Half of it goes on; but for that no further one begins, and those behind it are answered yet.
  CHECK(calls().size() == 19);
  client->answer_all(http_failure(protocol::delivery::unknown, "gone"));
  settle();
  CHECK(calls().size() == 19);
  CHECK(files->reports() == 1'949);
  back();
  pass(8s); // they failed together, so the pause is the shortest
  CHECK(counts->unreported == 0);
  CHECK(times().size() == 2'000);
  CHECK(files->files.empty());
}

TEST_CASE_METHOD(calling_back, "what was refused in an earlier life holds up nothing in this one", "[actors][executor]") {
  constexpr std::int64_t refused = 60;
  for (std::int64_t run = 1; run <= refused; ++run)
    files->files["report-" + std::to_string(100 + run)] = {report_of(run)};
  client->answers = [](const protocol::http_call& call) {
    const auto results = test::results_in(call);
    const bool is_fine = std::all_of(results.begin(), results.end(), [](const auto& each) { return each.run > refused; });
    return http_answer(is_fine ? R"({"code":200})" : refusal);
  };
  start();
  pass(60s);
  for (std::int64_t run = 1'001; run <= 1'005; ++run) {
    report(run, run);
    pass(5s);
    CHECK(times().contains(run));
    CHECK(files->reports() == refused);
    CHECK(counts->unreported == refused);
  }
}

TEST_CASE_METHOD(calling_back, "a run is at most once in a request", "[actors][executor]") {
  start();
  tell(callbacks, protocol::run_reports{{report_of(1), report_of(1), report_of(2), report_of(1, "other", 500)}});
  settle();
  REQUIRE(calls().size() == 2);
  CHECK(test::results_in(calls()[0]) == std::vector<told_result>{{1, 200, "(none)"}, {2, 200, "(none)"}});
  CHECK(test::results_in(calls()[1]) == std::vector<told_result>{{1, 500, "other"}});
}

TEST_CASE_METHOD(calling_back, "long messages make small requests", "[actors][executor]") {
  start();
  protocol::run_reports over;
  for (int run = 1; run <= 20; ++run)
    over.reports.push_back(report_of(run, std::string(50'000, 'm')));
  tell(callbacks, std::move(over));
  settle();
  CHECK(times().size() == 20);
  CHECK(calls().size() == 3);
  for (const auto& call : calls())
    CHECK(call.body.size() < 1'000'000);
}

TEST_CASE_METHOD(calling_back_two, "the second admin is told when the first one fails, and only then", "[actors][executor]") {
  start();
  client->answers = [](const protocol::http_call& call) {
    return http_answer(call.origin == "http://a:8080" ? refusal : R"({"code":200})");
  };
  report(1, 1);
  settle();
  CHECK(client->targets() == std::vector<std::string>{"http://a:8080/api/callback", "http://b:8080/api/callback"});
  CHECK(log_of(1) == "<br>----------- xxl-job job callback fail, callbackResult:ReturnT [code=500, msg=later, content=null]\n"
                     "<br>----------- xxl-job job callback finish.\n");
  CHECK(files->saved == 0);
  back();
  report(2, 2);
  settle();
  CHECK(client->sent().size() == 3);
}

TEST_CASE_METHOD(calling_back_two, "what nobody takes is in a file after one attempt, and told again", "[actors][executor]") {
  start();
  client->answers = [](const protocol::http_call&) { return http_answer(refusal); };
  report(1, 3);
  settle();
  // All of them, one alone and another one alone, at both.
  CHECK(client->sent().size() == 6);
  CHECK(files->reports() == 3);
  CHECK(counts->unreported == 3);
  const auto fails = "<br>----------- xxl-job job callback fail, callbackResult:ReturnT [code=500, msg=later, content=null]\n";
  CHECK(log_of(2) == std::string{fails} + fails);
  // While admins are away, others go there at once.
  report(4, 4);
  settle();
  CHECK(client->sent().size() == 6);
  CHECK(files->reports() == 4);
  back();
  pass(30s);
  CHECK(files->files.empty());
  CHECK(counts->unreported == 0);
  CHECK(times().size() == 4);
}

TEST_CASE_METHOD(calling_back, "a status that is not 200 is a failure, an unknown field is none", "[actors][executor]") {
  start();
  client->answers = [](const protocol::http_call&) { return http_answer(R"({"code":200})", 201); };
  report(1, 1);
  settle();
  CHECK(files->reports() == 1);
  client->answers = [](const protocol::http_call&) {
    return http_answer(R"({"code":200,"content":null,"data":null,"x":1})");
  };
  pass(30s);
  CHECK(files->files.empty());
}

TEST_CASE_METHOD(calling_back, "results that an earlier life kept are told", "[actors][executor]") {
  start();
  away();
  report(1, 120);
  settle();
  CHECK(files->reports() == 120);
  kill_process();
  back();
  start();
  CHECK(files->files.empty());
  std::set<std::int64_t> told;
  for (const auto& call : calls())
    for (const auto& result : test::results_in(call))
      told.insert(result.run);
  CHECK(told.size() == 120);
}

TEST_CASE_METHOD(calling_back, "a file that an admin has and that was not removed is told again", "[actors][executor]") {
  start();
  away();
  report(1, 1);
  settle();
  back();
  // The thread that would remove it never runs.
  while (calls().size() < 2) {
    advance(100ms);
    run();
    if (calls().size() < 2)
      threads->run_one();
  }
  run();
  kill_process();
  start();
  CHECK(files->files.empty());
  CHECK(times()[1] == 3);
}

TEST_CASE_METHOD(calling_back, "an admin that was away for an hour gets each result once", "[actors][executor]") {
  start();
  away();
  for (int minute = 0; minute < 60; ++minute) {
    report(10 * minute + 1, 10 * minute + 10);
    pass(1min);
  }
  CHECK(files->reports() == 600);
  // A try every thirty seconds at most.
  CHECK(calls().size() <= 125);
  CHECK(calls().size() >= 100);
  const auto tried = calls().size();
  back();
  pass(31s);
  CHECK(files->files.empty());
  CHECK(counts->unreported == 0);
  std::map<std::int64_t, int> told;
  const auto all = calls();
  for (auto i = tried; i < all.size(); ++i)
    for (const auto& result : test::results_in(all[i]))
      ++told[result.run];
  CHECK(told.size() == 600);
  CHECK(std::all_of(told.begin(), told.end(), [](const auto& each) { return each.second == 1; }));
}

TEST_CASE_METHOD(calling_back, "a file that is refused for itself holds up no other", "[actors][executor]") {
  start();
  client->answers = [](const protocol::http_call& call) {
    for (const auto& result : test::results_in(call))
      if (result.run == 13)
        return http_answer(refusal);
    return http_answer(R"({"code":200})");
  };
  report(13, 13);
  settle();
  report(14, 15);
  pass(12s);
  CHECK(times()[14] == 1);
  CHECK(times()[15] == 1);
  CHECK(files->reports() == 1);
  back();
  pass(40s);
  CHECK(files->files.empty());
}

TEST_CASE_METHOD(calling_back, "a result that is refused for itself does not keep back those beside it", "[actors][executor]") {
  start();
  refuse({13, 14, 40});
  report(1, 50);
  settle();
  CHECK(times().size() == 50);
  CHECK(files->reports() == 3);
  CHECK(counts->unreported == 3);
  CHECK(calls().size() < 30);
  CHECK(log_of(12) == "<br>----------- xxl-job job callback finish.\n");
  report(100, 100);
  settle();
  CHECK(times()[100] == 1);
  const auto tried = calls().size();
  pass(60s);
  // After 5, 10, 20 and 30 seconds.
  CHECK(calls().size() > tried);
  CHECK(calls().size() < tried + 30);
  CHECK(times()[12] < 5);
  CHECK(files->reports() == 3);
  back();
  pass(31s);
  CHECK(files->files.empty());
  CHECK(counts->unreported == 0);
}

TEST_CASE_METHOD(calling_back, "when two are refused one after the other others are found that are not", "[actors][executor]") {
  start();
  std::set<std::int64_t> bad;
  for (int run = 1; run <= 40; ++run)
    bad.insert(run);
  refuse(bad);
  report(1, 50);
  pass(15min);
  for (int run = 41; run <= 50; ++run)
    CHECK(times()[run] > 0);
  CHECK(files->reports() == 40);
  CHECK(counts->unreported == 40);
  const auto tried = times()[50];
  pass(5min);
  CHECK(times()[50] == tried);
  back();
  pass(31s);
  CHECK(files->files.empty());
}

TEST_CASE_METHOD(calling_back, "kept results are told in full requests, many files in one", "[actors][executor]") {
  for (int run = 1; run <= 120; ++run)
    keep("report-" + std::to_string(1'000'000 + run), run, run);
  start();
  CHECK(calls().size() == 3);
  CHECK(times().size() == 120);
  CHECK(files->files.empty());
  CHECK(counts->unreported == 0);
}

TEST_CASE_METHOD(calling_back, "a file is removed when an admin has all of it, or another file the rest", "[actors][executor]") {
  keep("report-1", 1, 20);
  keep("report-2", 21, 40);
  keep("report-3", 41, 45);
  refuse({30});
  SECTION("there is room") {
    start();
    CHECK(files->reports() == 1);
    CHECK_FALSE(files->files.contains("report-2"));
    CHECK(counts->unreported == 1);
    CHECK(times().size() == 45);
  }
  SECTION("there is none") {
    files->save_fails = true;
    start();
    CHECK(files->files.size() == 1);
    CHECK(files->files["report-2"].size() == 20);
    CHECK(counts->unreported == 20);
    files->save_fails = false;
  }
  SECTION("the process ends before it is saved") {
    while (times().size() < 45 || client->pending() > 0) {
      if (!callbacks)
        start_without_threads();
      run();
      if (times().size() < 45)
        threads->run_one();
    }
    kill_process();
    CHECK(files->files.contains("report-2"));
    start();
    CHECK(files->reports() == 1);
  }
  back();
  pass(35s);
  CHECK(files->files.empty());
  CHECK(counts->unreported == 0);
}

TEST_CASE_METHOD(calling_back, "what is refused for itself while nothing can be saved is not lost", "[actors][executor]") {
  start();
  refuse({2});
  files->save_fails = true;
  report(1, 3);
  pass(10s);
  CHECK(times()[1] == 2);
  CHECK(counts->unreported == 1);
  back();
  pass(35s);
  CHECK(counts->unreported == 0);
}

TEST_CASE_METHOD(calling_back, "messages that grow when they are encoded make small requests", "[actors][executor]") {
  start();
  protocol::run_reports over;
  for (int run = 1; run <= 20; ++run)
    over.reports.push_back(report_of(run, std::string(50'000, '\x01')));
  tell(callbacks, std::move(over));
  settle();
  CHECK(times().size() == 20);
  for (const auto& call : calls())
    CHECK(call.body.size() < 1'000'000);
}

TEST_CASE_METHOD(calling_back, "more files than are known at a time are all told", "[actors][executor]") {
  for (int run = 1; run <= 2'500; ++run)
    files->files["report-" + std::to_string(100 + run)] = {report_of(run)};
  start();
  pass(2s);
  CHECK(files->files.empty());
  CHECK(times().size() == 2'500);
  CHECK(results().size() == 2'500);
}

TEST_CASE_METHOD(calling_back, "a file that somebody took away is forgotten", "[actors][executor]") {
  start();
  away();
  report(1, 1);
  settle();
  report(2, 2);
  settle();
  const auto tried = calls().size();
  files->files.erase(files->files.begin());
  back();
  pass(20s);
  CHECK(counts->unreported == 0);
  CHECK(calls().size() == tried + 1);
  CHECK(times()[2] == 1);
  const auto started = threads->started;
  pass(5min);
  CHECK(threads->started == started);
}

TEST_CASE_METHOD(calling_back, "an empty file is removed", "[actors][executor]") {
  files->files["report-1"] = {};
  start();
  CHECK(files->files.empty());
  CHECK(client->sent().empty());
}

TEST_CASE_METHOD(calling_back, "a broken file is left alone", "[actors][executor]") {
  start();
  away();
  report(1, 1);
  settle();
  files->broken[files->files.begin()->first] = true;
  report(2, 2);
  settle();
  back();
  pass(40s);
  CHECK(times()[2] >= 1);
  CHECK(files->reports() == 1);
  CHECK(counts->unreported == 0);
}

TEST_CASE_METHOD(calling_back, "a full disk loses nothing while the process lives", "[actors][executor]") {
  start();
  away();
  files->full = true;
  report(1, 3);
  pass(10s);
  CHECK(counts->unreported == 3);
  CHECK(files->files.empty());
  files->full = false;
  pass(10s);
  CHECK(files->reports() == 3);
  back();
  pass(35s);
  CHECK(files->files.empty());
}

TEST_CASE_METHOD(calling_back, "without disk and admins memory keeps every code, not every message", "[actors][executor]") {
  start();
  away();
  files->full = true;
  for (int run = 1; run <= 1'500; ++run)
    tell(callbacks, protocol::run_reports{{report_of(run, std::string(50'000, 'm'), 500)}});
  settle();
  CHECK(counts->unreported == 1'500);
  files->full = false;
  pass(10s);
  REQUIRE(files->reports() == 1'500);
  CHECK(files->files.begin()->second.front().message->size() == 50'000);
  const auto& last = files->files.rbegin()->second.back();
  CHECK(last.run == core::log_id{1'500});
  CHECK(last.message->size() == actors::callback_actor_state::shortened_bytes);
}

TEST_CASE_METHOD(calling_back, "a full disk does not keep results from an admin that is back", "[actors][executor]") {
  start();
  away();
  files->full = true;
  report(1, 3);
  pass(10s);
  back();
  pass(31s);
  CHECK(counts->unreported == 0);
  CHECK(times().size() == 3);
}

TEST_CASE_METHOD(calling_back, "what memory does not hold goes to files, and is told as well", "[actors][executor]") {
  start();
  client->answers = nullptr;
  report(1, 1);
  settle();
  report(2, 12'000);
  settle();
  CHECK(files->reports() >= 1500);
  CHECK(counts->unreported == 12'000);
  back();
  client->answer_all(http_answer(R"({"code":200})"));
  settle();
  pass(2s);
  CHECK(counts->unreported == 0);
  CHECK(times().size() == 12'000);
  CHECK(results().size() == 12'000);
  CHECK(files->files.empty());
}

TEST_CASE_METHOD(calling_back, "without threads results are told from memory, and files wait", "[actors][executor]") {
  start();
  threads->refusing = true;
  report(1, 2);
  settle();
  CHECK(times().size() == 2);
  away();
  report(3, 3);
  settle();
  CHECK(files->files.empty());
  threads->refusing = false;
  pass(1s);
  CHECK(files->reports() == 1);
  CHECK(log_of(1).find("callback finish") != std::string::npos);
}

TEST_CASE_METHOD(calling_back, "a flush answers when everything is told or kept", "[actors][executor]") {
  start();
  client->answers = nullptr;
  report(1, 60);
  auto flushed = later<caf::unit_t>(callbacks, protocol::flush_reports{10s});
  settle();
  client->answer(http_answer(R"({"code":200})"));
  settle();
  CHECK_FALSE(flushed->has_value());
  client->answer(http_failure(protocol::delivery::not_sent, "connection refused"));
  settle();
  REQUIRE(flushed->has_value());
  CHECK(**flushed);
  CHECK(files->reports() == 10);
  CHECK(ask_done(callbacks, protocol::flush_reports{10s}) == caf::error{});
}

TEST_CASE_METHOD(calling_back, "a flush that can do nothing says so", "[actors][executor]") {
  start();
  files->full = true;
  client->answers = nullptr;
  report(1, 2);
  auto flushed = later<caf::unit_t>(callbacks, protocol::flush_reports{10s});
  pass(15s);
  REQUIRE(flushed->has_value());
  CHECK_FALSE(**flushed);
}

TEST_CASE_METHOD(calling_back, "an answer that never comes is a failure", "[actors][executor]") {
  start();
  client->answers = nullptr;
  report(1, 1);
  pass(20s);
  CHECK(files->reports() == 1);
  back();
  pass(30s);
  CHECK(files->files.empty());
}
