#include <algorithm>

#include "tests/actors/calling_back.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::calling_back;
using test::calling_back_two;
using test::http_answer;
using test::http_failure;
using test::refusal;

TEST_CASE_METHOD(calling_back, "results that were refused before a restart block nothing after it", "[actors][executor]") {
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

TEST_CASE_METHOD(calling_back_two, "results that no admin accepts are in a file after one attempt, and reported again",
                 "[actors][executor]") {
  start();
  client->answers = [](const protocol::http_call&) { return http_answer(refusal); };
  report(1, 3);
  settle();
  // All results together, then one alone and another one alone, at both admins.
  CHECK(client->sent().size() == 6);
  CHECK(files->reports() == 3);
  CHECK(counts->unreported == 3);
  const auto fails = "<br>----------- xxl-job job callback fail, callbackResult:ReturnT [code=500, msg=later, content=null]\n";
  CHECK(log_of(2) == std::string{fails} + fails);
  // While admins are away, further results are written to files at once.
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

TEST_CASE_METHOD(calling_back, "results kept by an earlier process are reported", "[actors][executor]") {
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

TEST_CASE_METHOD(calling_back, "a file that was reported but not removed is reported again", "[actors][executor]") {
  start();
  away();
  report(1, 1);
  settle();
  back();
  // The thread that would remove the file never runs.
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
  // At most one attempt every thirty seconds.
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

TEST_CASE_METHOD(calling_back, "an individually refused file does not hold up others", "[actors][executor]") {
  start();
  refuse({13});
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

TEST_CASE_METHOD(calling_back, "kept results are reported in full requests, many files in one", "[actors][executor]") {
  for (int run = 1; run <= 120; ++run)
    keep("report-" + std::to_string(1'000'000 + run), run, run);
  start();
  CHECK(calls().size() == 3);
  CHECK(times().size() == 120);
  CHECK(files->files.empty());
  CHECK(counts->unreported == 0);
}

TEST_CASE_METHOD(calling_back, "a file is removed when its results were accepted, or another file has the rest",
                 "[actors][executor]") {
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

TEST_CASE_METHOD(calling_back, "individually refused results are not lost while nothing can be saved", "[actors][executor]") {
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

TEST_CASE_METHOD(calling_back, "more files than fit into memory are all reported", "[actors][executor]") {
  for (int run = 1; run <= 2'500; ++run)
    files->files["report-" + std::to_string(100 + run)] = {report_of(run)};
  start();
  pass(2s);
  CHECK(files->files.empty());
  CHECK(times().size() == 2'500);
  CHECK(results().size() == 2'500);
}

TEST_CASE_METHOD(calling_back, "a file that was removed externally is forgotten", "[actors][executor]") {
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

TEST_CASE_METHOD(calling_back, "a broken file is not changed", "[actors][executor]") {
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

TEST_CASE_METHOD(calling_back, "a full disk loses nothing while the process runs", "[actors][executor]") {
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

TEST_CASE_METHOD(calling_back, "without disk and admins, memory keeps every code but not every message", "[actors][executor]") {
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
  CHECK(last.message->ends_with(actors::callback_actor_state::shortened_mark)); // the reader of the result sees it
}

TEST_CASE_METHOD(calling_back, "a full disk does not delay results for an admin that is back", "[actors][executor]") {
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

TEST_CASE_METHOD(calling_back, "results beyond the memory limit go to files and are also reported", "[actors][executor]") {
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

TEST_CASE_METHOD(calling_back, "without threads, results are reported from memory and files wait", "[actors][executor]") {
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

TEST_CASE_METHOD(calling_back, "a flush answers when everything is reported or kept", "[actors][executor]") {
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
