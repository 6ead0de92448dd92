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
  CHECK(reply.head.find("Set-Cookie: xxl_job_login_token=s-new") != std::string::npos);
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
