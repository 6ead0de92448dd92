// Cases that depend on the time, on the zone or on many rows, so that golden exchanges cannot cover them.

#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include "tests/gateway/web_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;

namespace {

nlohmann::json content_of(const raw_socket::message& reply) {
  auto parsed = nlohmann::json::parse(reply.body);
  return parsed.contains("content") ? parsed["content"] : parsed["data"];
}

} // namespace

TEST_CASE_METHOD(web_fixture, "without dates the chart of 2.x has seven days of zeros; 3.x requires dates", "[gateway][web]") {
  open();
  const auto chart = content_of(submit("/chartInfo", "", cookie_2("viewer")));
  CHECK(chart["triggerDayList"].size() == 7);
  CHECK(chart["triggerDayCountSucList"] == nlohmann::json::array({0, 0, 0, 0, 0, 0, 0}));
  CHECK(chart["triggerCountFailTotal"] == 0);
  CHECK(script->take_asked().empty());
  CHECK(submit("/chartInfo", "", cookie_3("viewer")).status() == 400);
}

TEST_CASE_METHOD(web_fixture, "times in requests and answers are local times", "[gateway][web]") {
  web.zone = core::zone::find("Asia/Shanghai").value();
  open();
  submit("/chartInfo", "startDate=2026-01-01 00:00:00&endDate=2026-01-01 23:59:59", cookie_3("viewer"));
  submit("/joblog/pageList", "jobGroup=1&jobId=0&logStatus=-1&filterTime=2026-01-01 08:00:00 - 2026-01-01 09:00:00",
         cookie_3("viewer"));
  CHECK(script->take_asked() == std::vector<std::string>{"report_query(1767196800000, 1767283200000)",
                                                         "run_page_query('1', '-', 0, '1767225600000', '1767229200000', "
                                                         "'0+10') by vera@127.0.0.1"});
  const auto page = content_of(submit("/joblog/pageList", "jobGroup=1&jobId=0&logStatus=-1", cookie_3("viewer")));
  CHECK(page["data"][0]["triggerTime"] == "2026-01-02 11:04:05");
}

TEST_CASE_METHOD(web_fixture, "the next five times of a rate are whole steps from now on", "[gateway][web]") {
  open();
  const auto times = content_of(submit("/jobinfo/nextTriggerTime", "scheduleType=FIX_RATE&scheduleConf=60", cookie_3("viewer")));
  REQUIRE(times.size() == 5);
  const core::zone utc;
  const auto now = std::chrono::floor<core::milliseconds>(std::chrono::system_clock::now());
  auto before = utc.parse(times[0].get<std::string>()).value();
  CHECK(std::chrono::abs(before - now) < std::chrono::seconds{90});
  for (std::size_t i = 1; i < times.size(); ++i) {
    const auto next = utc.parse(times[i].get<std::string>()).value();
    CHECK(next - before == std::chrono::seconds{60});
    before = next;
  }
}

TEST_CASE_METHOD(web_fixture, "a form may be multipart", "[gateway][web]") {
  open();
  const std::string body = "--b\r\nContent-Disposition: form-data; name=\"id\"\r\n\r\n7\r\n--b--\r\n";
  const auto reply =
    ask(text("POST", "/jobinfo/start", body, "Content-Type: multipart/form-data; boundary=b\r\n" + cookie_2("operator")));
  CHECK(reply.body == R"({"code":200,"msg":null,"content":null})");
  CHECK(script->take_asked() == std::vector<std::string>{"start_job(7) by otto@127.0.0.1"});
}
