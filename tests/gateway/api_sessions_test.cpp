// Lists of open sessions in /api/v1, and their end.

#include "tests/support/catch.hpp"

#include <string>
#include <vector>

#include "tests/gateway/api_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using nlohmann::json;

using asked_of_sessions = std::vector<std::string>;

TEST_CASE_METHOD(api_fixture, "open sessions are listed, with the session of the request marked", "[gateway][api][sessions]") {
  open();
  const auto page = json_of(call("GET", "/sessions?user=4&limit=1&cursor=p2"));
  CHECK(page["items"] == json::parse(R"([{"id":9,"user":1,"user_name":"admin","opened_ms":1767323045000,"used_ms":null,
                                          "expires_ms":1767323045000,"remote":"10.0.0.8","current":true}])"));
  CHECK(script->take_asked() == asked_of_sessions{"session_query('4', '2+1', 'admin') by admin@127.0.0.1"});
}

TEST_CASE_METHOD(api_fixture, "with an API key no session is that of the request", "[gateway][api][sessions]") {
  open();
  const auto with_key = "Authorization: Bearer " + key_of("viewer") + "\r\n" + cookie_3("admin");
  CHECK(call_as(with_key, "GET", "/sessions").status() == 200);
  CHECK(script->take_asked() == asked_of_sessions{"session_query('-', '0+50', '') by vera@127.0.0.1"});
}

TEST_CASE_METHOD(api_fixture, "of two cookies the one that admits the request is its session", "[gateway][api][sessions]") {
  open();
  const std::string both = "Cookie: XXL_JOB_LOGIN_IDENTITY=forged; xxl_job_login_token=operator\r\n";
  CHECK(call_as(both, "GET", "/sessions").status() == 200);
  CHECK(script->take_asked() == asked_of_sessions{"session_query('-', '0+50', 'operator') by otto@127.0.0.1"});
}

TEST_CASE_METHOD(api_fixture, "a session tells its end", "[gateway][api][sessions]") {
  open();
  CHECK(json_of(call("GET", "/session"))["expires_ms"] == 1767323045000);
  CHECK(json_of(call_as("Authorization: Bearer " + key_of("viewer") + "\r\n", "GET", "/session"))["expires_ms"].is_null());
}

TEST_CASE_METHOD(api_fixture, "a one-time token signs in without a password", "[gateway][api][sessions]") {
  open();
  const auto reply = call_as("", "POST", "/session", R"({"one_time":"abc"})");
  REQUIRE(reply.status() == 200);
  CHECK(reply.head.find("Set-Cookie: ringmaster_session_80=s-new") != std::string::npos);
  CHECK(reply.head.find("Max-Age=") == std::string::npos);
  CHECK(json_of(reply)["expires_ms"] == 1767323045000);
  CHECK(script->take_asked() == asked_of_sessions{"one_time_sign_in('abc', '127.0.0.1')"});
  for (const auto* body : {R"({"one_time":""})", R"({"one_time":null})", R"({"one_time":7})", R"({"one_time":"a","name":"b"})",
                           R"({"one_time":"a","remember":true})"}) {
    CAPTURE(body);
    CHECK(call_as("", "POST", "/session", body).status() == 400);
  }
  CHECK(call_as("Origin: https://evil.example\r\n", "POST", "/session", R"({"one_time":"abc"})").status() == 403);
  CHECK(call_as("", "GET", "/session?one_time=abc").status() == 401);
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(api_fixture, "a session is ended by its id", "[gateway][api][sessions]") {
  open();
  CHECK(call("DELETE", "/sessions/4503599627370495").status() == 204);
  CHECK(script->take_asked() == asked_of_sessions{"end_session(4503599627370495) by admin@127.0.0.1"});
  for (const auto* place : {"/sessions?user=x", "/sessions?limit=0", "/sessions?cursor=5", "/sessions?name=a"}) {
    CAPTURE(place);
    CHECK(call("GET", place).status() == 400);
  }
  CHECK(call("DELETE", "/sessions/0").status() == 404);
  CHECK(call("DELETE", "/sessions/abc").status() == 404);
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(api_fixture, "the session cookie of the API has the port of the browser's address", "[gateway][api][sessions]") {
  server.trusted_proxies = {"127.0.0.0/8"};
  open();
  const auto set_by = [this](const std::string& host, const std::string& more = {}) {
    const std::string body = R"({"name":"admin","password":"123456"})";
    const auto head = "POST /api/v1/session HTTP/1.1\r\nHost: " + host + "\r\n" + more +
                      "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n";
    const auto reply = ask(head + body);
    CHECK(reply.status() == 200);
    const auto begin = reply.head.find("ringmaster_session_");
    return reply.head.substr(begin, reply.head.find('=', begin) - begin);
  };
  CHECK(set_by("localhost:8080") == "ringmaster_session_8080");
  CHECK(set_by("[::1]:9090") == "ringmaster_session_9090");
  CHECK(set_by("jobs.example") == "ringmaster_session_80");
  CHECK(set_by("jobs.example", "X-Forwarded-Proto: https\r\n") == "ringmaster_session_443");
  CHECK(set_by("backend:8080", "X-Forwarded-Host: jobs.example:8443\r\n") == "ringmaster_session_8443");
  CHECK(set_by("backend:8080", "X-Forwarded-Proto: https\r\nX-Forwarded-Host: jobs.example\r\n") == "ringmaster_session_443");
  for (const auto* odd : {"a:0", "a:65536", "a:99999999999999999999", "a:8080x", "a:-1", "a:", "::1", "a:8;b=c", "a:1:2"}) {
    CAPTURE(odd);
    CHECK(set_by(odd) == "ringmaster_session_80");
  }
}

TEST_CASE_METHOD(api_fixture, "servers on two ports of a host leave each other's sessions alone", "[gateway][api][sessions]") {
  open();
  const std::string other = "Cookie: ringmaster_session_8081=s-1; XXL_JOB_LOGIN_IDENTITY=s-2; ringmaster_session_80=admin\r\n";
  SECTION("the cookie of another port opens nothing") {
    CHECK(call_as("Cookie: ringmaster_session_8081=admin; ringmaster_session_=admin\r\n", "GET", "/session").status() == 401);
    CHECK(call_as(other, "GET", "/session").status() == 200);
  }
  SECTION("a sign-in sets its own cookie alone") {
    const auto reply = call_as(other, "POST", "/session", R"({"name":"admin","password":"123456"})");
    REQUIRE(reply.status() == 200);
    CHECK(has(reply.head, "Set-Cookie: ringmaster_session_80=s-new;"));
    CHECK(reply.head.find("Set-Cookie") == reply.head.rfind("Set-Cookie"));
  }
  SECTION("a sign-out removes its own cookie alone, and ends the sessions of this server's cookies") {
    script->take_asked();
    const auto reply = call_as(other + csrf("admin"), "DELETE", "/session");
    REQUIRE(reply.status() == 204);
    CHECK(has(reply.head, "Set-Cookie: ringmaster_session_80=;"));
    CHECK(reply.head.find("Set-Cookie") == reply.head.rfind("Set-Cookie"));
    CHECK(script->take_asked() == asked_of_sessions{"sign_out('s-2')", "sign_out('admin')"});
  }
  SECTION("the paths of XXL-JOB take XXL-JOB's cookies only") {
    CHECK(has(submit("/jobinfo/pageList", "jobGroup=1", "Cookie: ringmaster_session_80=admin\r\n").body, "not login"));
  }
}

TEST_CASE_METHOD(api_fixture, "many and repeated cookies cost at most three look-ups", "[gateway][api][sessions][hostile]") {
  open();
  std::string many = "Cookie: XXL_JOB_LOGIN_IDENTITY=x-1; xxl_job_login_token=x-2";
  for (int i = 0; i < 100; ++i)
    many += "; ringmaster_session_80=y-" + std::to_string(i) + "; ringmaster_session_" + std::to_string(i) + "=z";
  CHECK(call_as(many + "; ringmaster_session_80=admin\r\n", "GET", "/session").status() == 401);
  // The first one of a name counts.
  CHECK(call_as("Cookie: ringmaster_session_80=admin; ringmaster_session_80=forged\r\n", "GET", "/session").status() == 200);
  // A browser that an earlier version signed in stays signed in.
  CHECK(call_as("Cookie: ringmaster_session_80=forged; xxl_job_login_token=admin\r\n", "GET", "/session").status() == 200);
}
