// Authentication in /api/v1: API keys, sessions, and the CSRF token that changes need with a session.

#include "tests/support/catch.hpp"

#include <array>
#include <set>

#include "tests/gateway/api_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using nlohmann::json;

namespace {

using asked_lines = std::vector<std::string>;


std::string bearer(const std::string& key) { return "Authorization: Bearer " + key + "\r\n"; }

constexpr const char* challenge = "WWW-Authenticate: Bearer";

} // namespace

TEST_CASE_METHOD(api_fixture, "an API key stands for its user and needs no CSRF token", "[gateway][api][keys]") {
  open();
  auto told = json_of(call_as(bearer(key_of("viewer")), "GET", "/session"));
  CHECK(told["name"] == "vera");
  CHECK(told["admin"] == false);
  CHECK(told["by"] == "key");
  CHECK(told["csrf_token"].is_null());
  CHECK(told["must_change_password"] == false);
  CHECK(told["rights"] == json::array({{{"group", 1}, {"right", "viewer"}}}));
  CHECK(script->take_keys() == asked_lines{key_of("viewer") + "@127.0.0.1"});
  CHECK(call_as(bearer(key_of("operator")), "POST", "/jobs/7/start").status() / 100 == 2);
  CHECK(script->take_asked() == asked_lines{"start_job(7) by otto@127.0.0.1"});
  CHECK(call_as(bearer(key_of("operator")), "POST", "/jobs/7/trigger").status() == 202);
  CHECK(call_as(bearer(key_of("operator")), "POST", "/jobs/trigger", R"({"ids":[7]})").status() == 200);
  CHECK(script->take_asked() == asked_lines{"trigger_job(7, '-', '') as api by otto@127.0.0.1",
                                            "trigger_job(7, '-', '') as api by otto@127.0.0.1"});
  CHECK(call_as(bearer(key_of("viewer")), "POST", "/jobs/7/start").status() == 403);
  // No page can make a browser send a key, whatever origin the request states.
  const auto elsewhere = bearer(key_of("operator")) + "Origin: http://evil.example\r\nSec-Fetch-Site: cross-site\r\n";
  CHECK(call_as(elsewhere, "POST", "/jobs/7/start").status() / 100 == 2);
}

TEST_CASE_METHOD(api_fixture, "the scheme is matched without case, the key exactly", "[gateway][api][keys]") {
  open();
  const auto key = key_of("admin");
  for (const auto& header : {"Authorization: bearer " + key, "AUTHORIZATION: BEARER " + key, "authorization: Bearer   " + key,
                             "Authorization: Bearer " + key + "  "}) {
    CAPTURE(header);
    CHECK(call_as(header + "\r\n", "GET", "/keys").status() == 200);
  }
}

TEST_CASE_METHOD(api_fixture, "an unknown API key does not fall back to the session", "[gateway][api][keys]") {
  open();
  for (const auto& key : {key_of("forged"), std::string{"rmk_"}, "rmk_" + std::string(6000, 'a'),
                          key_of("forged") + " x", std::string{"rmk_\xff\xfe\x01"}, std::string{"rmk_';--"}}) {
    CAPTURE(key);
    const auto reply = call_as(bearer(key) + cookie_3("admin"), "GET", "/keys");
    CHECK((reply.status() == 401 || reply.status() == 400));
    if (reply.status() == 401) {
      CHECK(has(reply.head, "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n"));
      CHECK(has(reply.head, "Content-Type: application/problem+json\r\n"));
    }
    client = raw_socket{};
  }
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(api_fixture, "other Authorization headers are ignored", "[gateway][api][keys]") {
  open();
  for (const std::string header : {"", "Authorization: \r\n", "Authorization: Bearer\r\n", "Authorization: Bearer \r\n",
                                   "Authorization: Basic YWRtaW46YWRtaW4=\r\n",
                                   "Authorization: Bearer eyJhbGciOiJub25lIn0.e30.\r\n",
                                   "Authorization: Bearer tk-1\r\n", "Authorization: Bearerrmk_x\r\n",
                                   "Authorization: Bearer RMK_admin\r\n", "X-Api-Key: rmk_admin\r\n",
                                   "XXL-JOB-ACCESS-TOKEN: tk-1\r\n"}) {
    CAPTURE(header);
    const auto reply = call_as(header, "GET", "/keys");
    CHECK(reply.status() == 401);
    CHECK(has(reply.head, challenge));
    CHECK(json_of(reply)["type"] == "urn:ringmaster:not_signed_in");
    CHECK(call_as(header + cookie_3("viewer"), "GET", "/keys").status() == 200);
  }
  CHECK(call_as("", "GET", "/keys?access_token=" + key_of("admin")).status() == 401);
  CHECK(script->take_keys().empty());
}

TEST_CASE_METHOD(api_fixture, "too many wrong keys are delayed, an unavailable store is not counted", "[gateway][api][keys]") {
  open();
  const auto late = call_as(bearer(key_of("throttled")), "GET", "/keys");
  CHECK(late.status() == 429);
  CHECK(has(late.head, "Retry-After: 7\r\n"));
  CHECK(json_of(late)["title"] == "Too Many Requests");
  CHECK(call_as(bearer(key_of("broken")), "GET", "/keys").status() == 503);
}

TEST_CASE_METHOD(api_fixture, "XXL's web API, executors' and operators' routes ignore API keys", "[gateway][api][keys]") {
  security.trust_loopback = false;
  web.of_schema = protocol::wire::dialect::xxl2;
  open();
  const auto key = bearer(key_of("admin"));
  CHECK_FALSE(has(submit("/jobinfo/add", "jobGroup=1", key).body, R"("code":200)"));
  CHECK_FALSE(has(post("/api/registry", "{}", key).body, R"("code":200)"));
  CHECK(script->take_keys().empty());
  CHECK(script->take_asked().empty());
}

TEST_CASE_METHOD(api_fixture, "with a session a change needs the session's CSRF token", "[gateway][api][csrf]") {
  open();
  const auto token = json_of(call_as(cookie_3("operator"), "GET", "/session"))["csrf_token"].get<std::string>();
  CHECK(token == gateway::csrf_token("operator"));
  CHECK(token.size() == 64);
  CHECK_FALSE(has(token, "operator"));
  const auto shown = [](const std::string& value) { return "X-CSRF-Token: " + value + "\r\n"; };
  struct attempt {
    std::string method, target, header;
    bool passes;
  };
  auto flipped = token;
  flipped.back() = flipped.back() == '0' ? '1' : '0';
  for (const auto& [method, target, header, passes] : std::vector<attempt>{
         {"POST", "/jobs/7/start", shown(token), true},
         {"POST", "/jobs/7/start", "", false},
         {"POST", "/jobs/7/start", shown(""), false},
         {"POST", "/jobs/7/start", shown(flipped), false},
         {"POST", "/jobs/7/start", shown(token + "0"), false},
         {"POST", "/jobs/7/start", shown(token.substr(1)), false},
         {"POST", "/jobs/7/start", shown(gateway::csrf_token("admin")), false},
         {"POST", "/jobs/7/start", shown(gateway::csrf_token("")), false},
         {"POST", "/jobs/7/start", shown("operator"), false},
         {"POST", "/jobs/7/start", shown(flipped) + shown(token), false},
         {"POST", "/jobs/7/start?X-CSRF-Token=" + token, "", false},
         {"DELETE", "/jobs/7", "", false},
         {"DELETE", "/keys/5", "", false},
         {"PUT", "/jobs/7", "", false},
         {"POST", "/keys", "", false},
         // Reading needs no token, and accepts a wrong one.
         {"GET", "/keys", "", true},
         {"GET", "/keys", shown(flipped), true},
       }) {
    CAPTURE(method, target, header);
    script->take_asked();
    const auto reply = call_as(cookie_3("operator") + header, method, target);
    CHECK((reply.status() != 403) == passes);
    if (passes)
      continue;
    CHECK(has(reply.body, "X-CSRF-Token"));
    CHECK(script->take_asked().empty());
  }
}

TEST_CASE_METHOD(api_fixture, "with two cookies the CSRF token of the valid session counts", "[gateway][api][csrf]") {
  open();
  const std::string both = "Cookie: XXL_JOB_LOGIN_IDENTITY=forged; xxl_job_login_token=operator\r\n";
  CHECK(json_of(call_as(both, "GET", "/session"))["csrf_token"] == gateway::csrf_token("operator"));
  CHECK(call_as(both + "X-CSRF-Token: " + gateway::csrf_token("operator") + "\r\n", "POST", "/jobs/7/start").status() / 100 == 2);
  CHECK(call_as(both + "X-CSRF-Token: " + gateway::csrf_token("forged") + "\r\n", "POST", "/jobs/7/start").status() == 403);
}

TEST_CASE_METHOD(api_fixture, "a CSRF token without a session, or from another site's page, is refused", "[gateway][api][csrf]") {
  open();
  const auto token = "X-CSRF-Token: " + gateway::csrf_token("operator") + "\r\n";
  CHECK(call_as(token, "POST", "/jobs/7/start").status() == 401);
  CHECK(call_as(cookie_3("forged") + token, "POST", "/jobs/7/start").status() == 401);
  CHECK(call_as(cookie_3("operator") + token + "Origin: http://evil.example\r\n", "POST", "/jobs/7/start").status() == 403);
  CHECK(script->take_asked().empty());
}

TEST_CASE("CSRF tokens of different sessions differ, and are not stored digests of sessions", "[gateway][csrf]") {
  std::set<std::string> seen;
  for (const auto* session : {"", "a", "b", "ab", "\n", "a\n"})
    CHECK(seen.insert(gateway::csrf_token(session)).second);
  CHECK(seen.size() == 6);
}

TEST_CASE_METHOD(api_fixture, "API keys are added, listed and removed", "[gateway][api][keys]") {
  open();
  const auto made = call("POST", "/keys", R"({"name":"ci","user":4,"expires_ms":1893456000000})");
  CHECK(made.status() == 201);
  CHECK(made.body == R"({"id":5,"key":"rmk_told-once"})");
  CHECK(has(made.head, "Cache-Control: no-store\r\n"));
  const auto page = json_of(call("GET", "/keys?user=4&limit=1"));
  CHECK(page["items"] == json::parse(R"([{"id":5,"name":"ci","user":1,"user_name":"admin","created_ms":1767323045000,
                                          "expires_ms":null,"used_ms":1767323045000}])"));
  CHECK(page["next"] == "p5");
  CHECK(json_of(call("GET", "/keys?cursor=p5"))["next"].is_null());
  CHECK(call("DELETE", "/keys/9223372036854775807").status() == 204);
  CHECK(script->take_asked() ==
        asked_lines{"add_key('ci', '4', '1893456000000') by admin@127.0.0.1", "key_query('4', 0, '1') by admin@127.0.0.1",
              "key_query('-', 5, '50') by admin@127.0.0.1", "remove_key(9223372036854775807) by admin@127.0.0.1"});
  for (const auto* body : {"", "{}", "[]", R"({"name":7})", R"({"name":"a","user":"anna"})", R"({"name":"a","expires_ms":-1})",
                           R"({"name":"a","expires_ms":9999999999999999})", R"({"name":"a","more":1})",
                           R"({"name":"a","name":"b"})", R"({"name":"a","user":0})"}) {
    CAPTURE(body);
    CHECK(call("POST", "/keys", body).status() == 400);
  }
  for (const auto* place : {"/keys?user=x", "/keys?limit=0", "/keys?cursor=5", "/keys?user=99999999999"}) {
    CAPTURE(place);
    CHECK(call("GET", place).status() == 400);
  }
  CHECK(script->take_asked().empty());
}
