// Job management for executors' programs (XXL admin §8.12).

#include "tests/support/catch.hpp"

#include "tests/gateway/web_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;

namespace {

struct management : web_fixture {
  management() {
    web.settings.job_management = "all";
    open();
  }

  std::string manage(const std::string& operation, const std::string& body, const std::string& token = "tk-1") {
    return post("/xxl-job-admin/api/" + operation, body,
                "XXL-JOB-ACCESS-TOKEN: " + token + "\r\nXXL-JOB-APPNAME: pay-worker\r\n")
      .body;
  }
  void guard() {
    core::group pay;
    pay.app_name = "pay-worker";
    pay.access_token = "of-pay";
    core::group mail;
    mail.app_name = "mail-worker";
    tell_groups(std::vector{pay, mail});
  }
  std::string asked() {
    std::string out;
    for (const auto& line : script->take_asked())
      out += (out.empty() ? "" : "\n") + line;
    return out;
  }
};

} // namespace

TEST_CASE_METHOD(management, "executors' programs add, change, start, stop, run and remove jobs", "[gateway][web]") {
  CHECK(manage("addJob", R"({"jobGroup":1,"name":"settle","author":"ann","scheduleType":"NONE"})")
        == R"({"code":200,"msg":null,"content":"71","data":"71"})");
  CHECK(asked().find("by openapi:pay-worker@127.0.0.1") != std::string::npos);
  CHECK(manage("startJob", R"({"id":7})") == plain_success);
  CHECK(manage("stopJob", R"({"id":7})") == plain_success);
  CHECK(manage("triggerJob", R"({"id":7,"executorParam":"x"})") == plain_success);
  CHECK(manage("removeJob", R"({"id":7})") == plain_success);
  asked();
  CHECK(manage("updateJob", R"({"id":7,"name":"other","author":"ann","scheduleType":"NONE"})") == plain_success);
  const auto lines = asked();
  CHECK(lines.find("job_query(7)") == 0);
  CHECK(lines.find("update_job(7") != std::string::npos);
}

TEST_CASE_METHOD(management, "an update that another edit overtakes is retried once and loses no change", "[gateway][web]") {
  const core::error overtaken{core::errc::conflict, "job 7 was edited meanwhile"};
  const std::string body = R"({"id":7,"name":"other","author":"ann","scheduleType":"NONE"})";
  const auto updates = [this] {
    std::string out;
    for (const auto& line : script->take_asked())
      out += line.substr(0, line.find('(')) + (line.find(" seen ") != std::string::npos ? " seen\n" : "\n");
    return out;
  };
  script->refuse(overtaken, "update_job");
  CHECK(manage("updateJob", body) == plain_success);
  CHECK(updates() == "job_query\nupdate_job seen\njob_query\nupdate_job seen\n");
  script->refuse(overtaken, "update_job", 3);
  CHECK(manage("updateJob", body) == refusal("job 7 was edited meanwhile"));
  CHECK(updates() == "job_query\nupdate_job seen\njob_query\nupdate_job seen\n");
}

TEST_CASE_METHOD(management, "removing a missing job succeeds, other operations fail", "[gateway][web]") {
  const core::error gone{core::errc::not_found, "job 7 does not exist", core::refusal::job_id_illegal};
  script->refuse(gone);
  CHECK(manage("removeJob", R"({"id":7})") == plain_success);
  script->refuse(gone);
  CHECK(manage("startJob", R"({"id":7})") == refusal("Job ID is illegal"));
  script->refuse({core::errc::internal, "a secret of ours"});
  CHECK(manage("stopJob", R"({"id":7})").find("secret") == std::string::npos);
}

TEST_CASE_METHOD(management, "a group's token manages only the jobs of its group", "[gateway][web]") {
  guard();
  CHECK(manage("startJob", R"({"id":7})", "of-pay") == plain_success);
  const auto foreign = manage("startJob", R"({"id":1007})", "of-pay");
  CHECK(foreign.find(R"("code":500)") != std::string::npos);
  CHECK(foreign.find("Permission limit") != std::string::npos);
  CHECK(manage("startJob", R"({"id":1007})") == plain_success);
}

TEST_CASE_METHOD(management, "an unreadable request reaches no actor, and too many requests are refused", "[gateway][web]") {
  CHECK(manage("startJob", "7") == refusal("openapi invoke error: the body must be a JSON object"));
  CHECK(manage("addJob", R"({"jobGroup":[]})") == refusal("openapi invoke error: jobGroup must be a number"));
  CHECK(asked().empty());
  std::string last;
  for (int i = 0; i < 1000 && last.find("502") == std::string::npos; ++i)
    last = manage("startJob", "7");
  CHECK(last == R"({"code":502,"msg":"Too many requests, please try again later.","content":null,"data":null})");
}

TEST_CASE_METHOD(management, "a group's token leaves half of the operations to others", "[gateway][web]") {
  guard();
  const auto is_refused = [](const std::string& reply) { return reply.find("\"code\":502") != std::string::npos; };
  int taken = 0;
  while (taken < 1000 && !is_refused(manage("startJob", "7", "of-pay")))
    ++taken;
  CHECK(taken < 200);
  for (int i = 0; i < 50; ++i)
    CHECK_FALSE(is_refused(manage("startJob", "7")));
}

namespace {

struct management_by : web_fixture {
  std::string start(const std::string& setting, const std::string& token) {
    web.settings.job_management = setting;
    open();
    core::group pay;
    pay.app_name = "pay-worker";
    pay.access_token = "of-pay";
    pay.previous_token = "was-of-pay";
    pay.previous_until = core::time_point{std::chrono::hours{24 * 365 * 200}};
    tell_groups(std::vector{pay});
    return post("/xxl-job-admin/api/startJob", R"({"id":7})",
                "XXL-JOB-ACCESS-TOKEN: " + token + "\r\nXXL-JOB-APPNAME: pay-worker\r\n")
      .body;
  }
};

} // namespace

TEST_CASE_METHOD(management_by, "job management is open to the tokens that the setting names", "[gateway][web]") {
  const auto [setting, token, permitted] = GENERATE(table<std::string, std::string, bool>({
    {"off", "of-pay", false},
    {"off", "tk-1", false},
    {"group_tokens", "of-pay", true},
    {"group_tokens", "tk-1", false},
    {"all", "tk-1", true},
    {"all", "was-of-pay", false},
  }));
  CAPTURE(setting, token);
  CHECK((start(setting, token) == plain_success) == permitted);
  CHECK(script->take_asked().empty() != permitted);
}

TEST_CASE("the default lets groups' tokens manage the jobs of their group", "[gateway]") {
  CHECK(config::gateway_settings{}.job_management == "group_tokens");
}
