#include "tests/actors/calling_back.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::calling_back;
using test::calling_back_two;
using test::http_answer;
using test::http_failure;
using test::refusal;
using test::told_result;

TEST_CASE_METHOD(calling_back, "a result is reported at once, and many in requests of fifty, each once", "[actors][executor]") {
  start();
  client->answers = nullptr;
  report(1, 1);
  settle();
  REQUIRE(calls().size() == 1);
  report(2, 70);
  report(71, 120);
  settle();
  // The first request has not been answered yet.
  CHECK(calls().size() == 1);
  client->answer(http_answer(R"({"code":200})"));
  settle();
  // Results that fill a request go at once; the others go with those that arrive meanwhile.
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

TEST_CASE_METHOD(calling_back, "many requests are on their way at once, and one that fails loses nothing", "[actors][executor]") {
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
  // Half of the results are split and sent again; no other request begins, and the earlier ones are still answered.
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

TEST_CASE_METHOD(calling_back, "a run appears at most once in a request", "[actors][executor]") {
  start();
  tell(callbacks, protocol::run_reports{{report_of(1), report_of(1), report_of(2), report_of(1, "other", 500)}});
  settle();
  REQUIRE(calls().size() == 2);
  CHECK(test::results_in(calls()[0]) == std::vector<told_result>{{1, 200, "(none)"}, {2, 200, "(none)"}});
  CHECK(test::results_in(calls()[1]) == std::vector<told_result>{{1, 500, "other"}});
}

TEST_CASE_METHOD(calling_back, "long messages lead to small requests", "[actors][executor]") {
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

TEST_CASE_METHOD(calling_back, "without admins, results wait for a native link", "[actors][executor]") {
  link_settings.admins = settings.admins = {};
  start();
  report(1, 1);
  settle();
  CHECK(calls().empty());
  CHECK(log_of(1) == "<br>----------- xxl-job job callback fail, callbackResult:no native link is up\n");
  CHECK(files->reports() == 1);
}

TEST_CASE_METHOD(calling_back_two, "the second admin is used only when the first one fails", "[actors][executor]") {
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

TEST_CASE_METHOD(calling_back, "a status other than 200 is a failure, an unknown field is not", "[actors][executor]") {
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

TEST_CASE_METHOD(calling_back, "an individually refused result does not hold back others", "[actors][executor]") {
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

TEST_CASE_METHOD(calling_back, "after two refusals in a row, results that are accepted are still found", "[actors][executor]") {
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

TEST_CASE_METHOD(calling_back, "messages that grow when encoded lead to small requests", "[actors][executor]") {
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

TEST_CASE_METHOD(calling_back, "a flush that cannot do anything reports this", "[actors][executor]") {
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
