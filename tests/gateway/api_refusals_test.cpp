// Errors of /api/v1, hostile requests, and its limits.

#include "tests/support/catch.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "tests/gateway/api_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;

namespace {

bool reads_no_body(std::string_view path) {
  constexpr std::array verbs = {"}/start",   "}/stop",   "}/kill",   "}/abort",       "}/shutdown",     "}/drain",
                                "}/restart", "}/cancel", "}/remove", "{name}/enable", "{name}/disable", "/doctor"};
  return std::any_of(verbs.begin(), verbs.end(), [&](std::string_view verb) { return path.ends_with(verb); });
}

} // namespace

TEST_CASE_METHOD(api_fixture, "api: errors are problems with a stable type", "[gateway][api]") {
  open();
  CHECK(type_of(call("GET", "/jobs/7", {}, "forged")) == "urn:ringmaster:not_signed_in");
  CHECK(type_of(call("GET", "/jobs/1007", {}, "viewer")) == "urn:ringmaster:not_permitted");
  CHECK(type_of(call("GET", "/jobs/2147483648")) == "urn:ringmaster:not_found");
  CHECK(type_of(call("GET", "/jobs/x")) == "urn:ringmaster:not_found");
  CHECK(type_of(call("GET", "/nothing/here")) == "urn:ringmaster:not_found");
  const auto method = call("PATCH", "/jobs/7");
  CHECK(type_of(method) == "urn:ringmaster:method_not_allowed");
  CHECK(has(method.head, "Allow: GET, HEAD, PUT, DELETE\r\n"));
  script->take_asked();

  const std::array<std::pair<core::errc, int>, 5> errors{{{core::errc::not_found, 404}, {core::errc::conflict, 409},
                                                               {core::errc::unavailable, 503}, {core::errc::timeout, 503},
                                                               {core::errc::too_large, 413}}};
  for (const auto& [code, status] : errors) {
    script->refuse({code, "because of this"});
    const auto reply = call("POST", "/jobs/7/start");
    CHECK(reply.status() == status);
    CHECK(type_of(reply) == "urn:ringmaster:" + std::string{core::to_string(code)});
    // The reason why a component is unavailable is only logged.
    CHECK((json_of(reply)["detail"] == "because of this") == (status != 503));
  }
  CHECK(type_of(call("POST", "/jobs", R"({"x":")" + std::string(1024 * 1024, 'x') + "\"}")) == "urn:ringmaster:too_large");
  script->refuse({core::errc::unavailable, "root@10.0.0.1"});
  CHECK_FALSE(has(call("POST", "/jobs/start", R"({"ids":[7]})").body, "root@"));
  script->refuse({core::errc::internal, "SELECT secret FROM x"});
  CHECK_FALSE(has(call("POST", "/jobs/7/start").body, "SELECT"));
}

TEST_CASE_METHOD(api_fixture, "api: refusals have words of their own, in the server's language", "[gateway][api]") {
  server.language = "zh_CN";
  open();
  script->refuse({core::errc::invalid_argument, "no author", core::refusal::author_empty});
  const auto reply = call("POST", "/jobs", R"({"group":1,"name":"x"})");
  CHECK(type_of(reply) == "urn:ringmaster:invalid_argument");
  CHECK(json_of(reply)["detail"] == "author: 不能为空");
  // Only the context of these gives the reason.
  script->refuse({core::errc::invalid_argument, "no executor took it", core::refusal::run_not_triggered});
  CHECK(json_of(call("POST", "/runs/70/kill"))["detail"] == "no executor took it");
}

TEST_CASE_METHOD(api_fixture, "api: a missing job does not exist, and XXL-JOB's paths keep its text", "[gateway][api]") {
  open();
  const core::error gone{core::errc::not_found, "job 99999 does not exist", core::refusal::job_id_illegal};
  script->refuse(gone);
  const auto reply = call("POST", "/jobs/99999/start", {}, "admin", "Accept-Language: en\r\n");
  CHECK(reply.status() == 404);
  CHECK(json_of(reply)["detail"] == "job 99999 does not exist");
  script->refuse(gone);
  CHECK(json_of(call("POST", "/jobs/99999/start", {}, "admin", "Accept-Language: zh\r\n"))["detail"] == "任务不存在");
  script->refuse(gone);
  const auto of_xxl = submit("/jobinfo/start", "id=99999", cookie_2("admin")).body;
  CHECK((has(of_xxl, "任务ID非法") || has(of_xxl, "Job ID is illegal")));
}

TEST_CASE_METHOD(api_fixture, "api: a missing permission is named", "[gateway][api]") {
  server.language = "zh_CN";
  open();
  const auto refused = [this](const raw_socket::message& reply) {
    CHECK(reply.status() == 403);
    CHECK(type_of(reply) == "urn:ringmaster:not_permitted");
    return json_of(reply)["detail"].get<std::string>();
  };
  CHECK(refused(call("GET", "/jobs/1007", {}, "viewer")) ==
        "user vera needs the permission viewer in group 2 and has none there");
  CHECK(refused(call("POST", "/jobs/7/start", {}, "viewer")) ==
        "user vera needs the permission operator in group 1 and has viewer there");
  CHECK(refused(call("GET", "/users", {}, "editor")) == "user edda needs the permission of an administrator");
  script->refuse({core::errc::forbidden, "user edda may not see child 8", core::refusal::child_not_permitted, "8"});
  CHECK(refused(call("POST", "/jobs", R"({"group":1,"name":"x"})", "editor")) == "user edda may not see child 8");
  // Other reasons keep their type, and XXL-JOB's paths its text.
  CHECK(type_of(call_as(cookie_3("admin"), "POST", "/jobs/7/start")) == "urn:ringmaster:forbidden");
  CHECK(has(submit("/jobinfo/start", "id=7", cookie_2("viewer")).body, "权限拦截[username=vera]"));
}

TEST_CASE_METHOD(api_fixture, "api: answers have the language that the client accepts", "[gateway][api]") {
  open();
  const auto detail_for = [this](const std::string& language) {
    script->refuse({core::errc::invalid_argument, "no author", core::refusal::author_empty});
    const auto header = language.empty() ? language : "Accept-Language: " + language + "\r\n";
    return json_of(call("POST", "/jobs", R"({"group":1,"name":"x"})", "admin", header))["detail"].get<std::string>();
  };
  const auto plain = detail_for("");
  CHECK(detail_for("zh-CN,zh;q=0.9,en;q=0.8") == "author: 不能为空");
  CHECK(detail_for("en;q=0.1, ZH-Hant-TW") == "author: 不能為空");
  CHECK(detail_for("fr, zh;q=0.2, en;q=0.1") == "author: 不能为空");
  for (const auto* other : {"fr", "*", "zh;q=0", "zh;q=2", "zh;q=x", "zhx", ",,;q=1,", "z"})
    CHECK(detail_for(other) == plain);
  CHECK(detail_for(std::string(16, ',') + "zh") == plain);
}

TEST_CASE_METHOD(api_fixture, "api: only JSON is read, and pages of other sites change nothing", "[gateway][api]") {
  open();
  const auto send = [this](const std::string& headers) {
    return ask(text("PUT", "/api/v1/groups/1", R"({"app_name":"app-1","title":"x"})",
                    cookie_3("admin") + csrf("admin") + "If-Match: *\r\n" + headers))
      .status();
  };
  CHECK(send("Content-Type: application/x-www-form-urlencoded\r\n") == 415);
  CHECK(send("Content-Type: text/plain\r\n") == 415);
  CHECK(send("") == 415);
  CHECK(send("Content-Type: application/json\r\nSec-Fetch-Site: cross-site\r\n") == 403);
  CHECK(send("Content-Type: application/json\r\nOrigin: http://evil.example\r\n") == 403);
  CHECK(script->take_asked().empty());
  CHECK(send("Content-Type: Application/JSON;charset=utf-8\r\n") == 204);
}

TEST_CASE_METHOD(api_fixture, "api: invalid parameters of lists are refused by name", "[gateway][api][hostile]") {
  open();
  for (const std::string list : {"/jobs", "/groups", "/runs", "/users", "/audit"})
    for (const auto* odd : {"limit=0", "limit=501", "limit=x", "limit=-1", "cursor=", "cursor=1", "cursor=p0", "cursor=p-5",
                            "cursor=p99999999999999999999", "cursor=p1x", "cursor=%00", "limit=%zz"}) {
      CAPTURE(list, odd);
      if (list == "/runs" && odd == std::string{"limit=0"})
        continue; // asks for the number of runs alone
      CHECK(call("GET", list + "?" + odd).status() == 400);
    }
  for (const auto* odd : {"/jobs?group=x", "/jobs?running=1", "/runs?status=odd", "/runs?from_ms=-1", "/runs?job=99999999999",
                          "/audit?object=odd", "/audit?object_id=x", "/audit?action=odd", "/audit?from_ms=x", "/audit?to_ms=-1",
                          "/jobs/7/changes?user=tom", "/jobs/7/changes?limit=0", "/groups/1/changes?cursor=1",
                          "/users?admin=yes"}) {
    CAPTURE(odd);
    CHECK(call("GET", odd).status() == 400);
  }
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(api_fixture, "api: hostile bodies are refused by every route that reads one", "[gateway][api][hostile]") {
  open();
  const std::string deep = R"({"name":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  const std::string mega = R"({"group":1,"x":")" + std::string(1000 * 1000, 'x') + "\"}";
  for (const auto& row : gateway::routes()) {
    if (!row.path.starts_with("/api/v1/") || row.method == "GET" || row.method == "DELETE" || reads_no_body(row.path))
      continue;
    auto target = std::string{row.path.substr(7)};
    if (const auto at = target.find("{id}"); at != std::string::npos)
      target.replace(at, 4, "7");
    for (const std::string& body : {deep, mega, std::string{"[]"}, std::string{"null"}, std::string{"{"}, std::string{"7"},
                                    std::string{"{\"odd\":1}"}, std::string{"{\"a\":1,\"a\":2}"}, std::string{"{\"a\":1e999}"},
                                    std::string{"{\"a\":\"\xff\"}"}, std::string{"{\"a\":\"\0\"}", 9}, std::string{"{} {}"}}) {
      CAPTURE(row.method, target, body.substr(0, 40));
      const auto reply = call(row.method, target, body, "admin", row.takes_if_match ? "If-Match: \"0\"\r\n" : "");
      const bool is_long = body.size() > row.body_max;
      CHECK(reply.status() == (is_long ? 413 : 400));
      CHECK(type_of(reply) == (is_long ? "urn:ringmaster:too_large" : "urn:ringmaster:invalid_argument"));
    }
  }
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(api_fixture, "api: the request limit delays one user and not others", "[gateway][api]") {
  web.settings.requests_per_second = 2;
  open();
  unsigned status = 0;
  raw_socket::message last;
  for (int i = 0; i < 50 && status != 429; ++i) {
    last = call("GET", "/session", {}, "viewer");
    status = last.status();
  }
  CHECK(status == 429);
  CHECK(has(last.head, "Retry-After: 1\r\n"));
  CHECK(type_of(last) == "urn:ringmaster:too_many");
  CHECK(call("GET", "/session", {}, "editor").status() == 200);
  // XXL-JOB's routes count as well.
  CHECK(get("/xxl-job-admin/jobinfo/pageList", "Cookie: xxl_job_login_token=viewer\r\n").status() == 429);
}

TEST_CASE_METHOD(api_fixture, "api: a request that names many jobs counts as many", "[gateway][api]") {
  web.settings.requests_per_second = 10;
  open();
  std::string ids = "1";
  for (int i = 2; i <= 100; ++i)
    ids += "," + std::to_string(i);
  CHECK(call("POST", "/jobs/start", "{\"ids\":[" + ids + "]}", "operator").status() == 200);
  CHECK(call("GET", "/session", {}, "operator").status() == 429);
}
