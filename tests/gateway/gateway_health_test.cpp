#include "tests/support/catch.hpp"

#include "core/text/text.hpp"
#include "gateway/auth/access.hpp"
#include "gateway/exchange/paths.hpp"
#include "tests/gateway/gateway_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;

namespace {

/// Header that a proxy on this machine adds: the client is no longer local.
constexpr auto passed_on = "X-Forwarded-For: 203.0.113.7\r\n";
constexpr auto bearer = "X-Forwarded-For: 203.0.113.7\r\nAuthorization: Bearer tk-1\r\n";

} // namespace

TEST_CASE_METHOD(gateway_fixture, "livez answers while requests are dispatched", "[gateway]") {
  open();
  auto reply = get("/livez");
  CHECK(reply.status() == 200);
  CHECK(reply.body == "ok");
  CHECK(get("/xxl-job-admin/livez").body == "ok");
}

TEST_CASE_METHOD(gateway_fixture, "the root answers a page with links below the requested path", "[gateway]") {
  open();
  for (const std::string base : {"", "/xxl-job-admin"}) {
    const auto reply = get(base + "/", passed_on);
    CHECK(reply.status() == 200);
    CHECK(reply.head.find("Content-Type: text/html; charset=utf-8\r\n") != std::string::npos);
    CHECK(reply.head.find("Content-Security-Policy: default-src 'self'") != std::string::npos);
    CHECK(reply.body.find("<h1>Ringmaster</h1>") != std::string::npos);
    CHECK(reply.body.find("without the web console") != std::string::npos);
    for (const auto* linked : {"/readyz", "/api/v1/openapi.json"}) {
      CHECK(reply.body.find("<a href=\"" + base + linked + "\">") != std::string::npos);
      CHECK(get(base + linked).status() == 200);
    }
  }
  CHECK(get("/xxl-job-admin").status() == 200);
  CHECK(post("/", "{}").status() == 405);
  CHECK(get("/index.html").status() == 404);
}

TEST_CASE_METHOD(gateway_fixture, "readyz gives operators the reasons why the node does not serve", "[gateway]") {
  open();
  CHECK(get("/readyz").status() == 200);
  CHECK(get("/readyz").body == R"({"ready":true,"reasons":[]})");
  CHECK(get("/readyz", passed_on).body == R"({"ready":true})");
  seen->note([](recorder& r) { r.status = {false, {"no \"life\"", "no store"}, std::nullopt}; });
  auto reply = get("/readyz");
  CHECK(reply.status() == 503);
  CHECK(reply.body == R"({"ready":false,"reasons":["no \"life\"","no store"]})");
  CHECK(get("/readyz", passed_on).status() == 503);
  CHECK(get("/readyz", passed_on).body == R"({"ready":false})");
  CHECK(get("/readyz", bearer).body == reply.body);
  caf::anon_send_exit(caf::actor_cast<caf::actor>(spawned[2]), caf::exit_reason::kill);
  CHECK(get("/readyz").status() == 503);
}

TEST_CASE_METHOD(gateway_fixture, "probes of XXL-JOB installations find its health endpoint", "[gateway]") {
  open();
  for (const auto* path : {"/actuator/health", "/xxl-job-admin/actuator/health"}) {
    const auto reply = get(path, passed_on);
    CHECK(reply.status() == 200);
    CHECK(reply.body == R"({"status":"UP"})");
    CHECK(reply.head.find("Content-Type: application/json") != std::string::npos);
  }
  seen->note([](recorder& r) { r.status = {false, {"no store"}, std::nullopt}; });
  CHECK(get("/actuator/health").status() == 503);
  CHECK(get("/actuator/health").body == R"({"status":"DOWN"})");
  caf::anon_send_exit(caf::actor_cast<caf::actor>(spawned[2]), caf::exit_reason::kill);
  CHECK(get("/actuator/health").status() == 503);
}

TEST_CASE_METHOD(gateway_fixture, "metrics count requests by route and code", "[gateway]") {
  open();
  post("/api/callback", R"([{"logId":1,"handleCode":200},{"handleCode":200}])");
  post("/api/callback", "[]", "");
  post("/api/nothing", "{}");
  get("/nowhere");
  auto reply = get("/metrics");
  CHECK(reply.status() == 200);
  CHECK(reply.head.find("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n") != std::string::npos);
  CAPTURE(reply.body);
  for (const auto* line : {R"(ringmaster_http_requests_total{code="200",route="/api/callback"} 1 )",
                           R"(ringmaster_http_requests_total{code="500",route="/api/callback"} 1 )",
                           R"(ringmaster_http_requests_total{code="500",route="/api/*"} 1 )",
                           R"(ringmaster_http_requests_total{code="404",route="other"} 1 )", "ringmaster_callback_items_total 1 ",
                           "ringmaster_callback_items_skipped_total 1 ", "ringmaster_http_reply_time_seconds_total"})
    CHECK(reply.body.find(line) != std::string::npos);
}

TEST_CASE_METHOD(gateway_fixture, "metrics are for operators", "[gateway]") {
  open();
  auto reply = get("/metrics", passed_on);
  CHECK(reply.status() == 403);
  CHECK(reply.head.find("Content-Type: application/problem+json\r\n") != std::string::npos);
  CHECK(get("/metrics", bearer).status() == 200);
  for (const auto* mark : {"Via: 1.1 p\r\n", "Forwarded: for=x\r\n", "x-forwarded-for: x\r\n", "X-Forwarded-Host: x\r\n",
                           "X-Forwarded-Proto: https\r\n", "X-Real-IP: 203.0.113.7\r\n"})
    CHECK(get("/metrics", mark).status() == 403);
  CHECK(get("/metrics", "Forwarded: for=x\r\nAuthorization: Bearer tk-2\r\n").status() == 403);
}

TEST_CASE_METHOD(gateway_fixture, "where loopback is not trusted only the token gives access", "[gateway]") {
  security.trust_loopback = false;
  open();
  CHECK(get("/metrics").status() == 403);
  CHECK(get("/readyz").body == R"({"ready":true})");
  CHECK(get("/metrics", "Authorization: Bearer tk-1\r\n").status() == 200);
  CHECK(get("/readyz", "Authorization: Bearer tk-1\r\n").body == R"({"ready":true,"reasons":[]})");
}

TEST_CASE_METHOD(gateway_fixture, "metrics include the transport's counters", "[gateway]") {
  open();
  get("/livez");
  const auto body = get("/metrics").body;
  CAPTURE(body);
  for (const auto* line : {"# TYPE ringmaster_http_connections_open gauge\nringmaster_http_connections_open 1\n",
                           "\nringmaster_http_connections_refused_total 0\n", "\nringmaster_http_requests_received_total 2\n",
                           "\nringmaster_http_body_waits_total 0\n",
                           "# TYPE ringmaster_executor_calls_total counter\nringmaster_executor_calls_total 0\n",
                           "\nringmaster_executor_calls_ended_total 0\n", "\nringmaster_callback_items_unanswered_total 0 "})
    CHECK(body.find(line) != std::string::npos);
}

TEST_CASE_METHOD(gateway_fixture, "a known path names its methods in Allow", "[gateway]") {
  open();
  for (const auto* path : {"/livez", "/readyz", "/actuator/health", "/metrics"}) {
    auto reply = post(path, "{}");
    CHECK(reply.status() == 405);
    CHECK(reply.head.find("Allow: GET, HEAD\r\n") != std::string::npos);
    CHECK(reply.head.find("Content-Type: application/problem+json\r\n") != std::string::npos);
  }
}

TEST_CASE_METHOD(gateway_fixture, "after too many wrong bearer tokens right ones are not compared", "[gateway]") {
  open();
  for (std::size_t i = 0; i <= core::failure_rate_limiter::a_minute_max; ++i)
    REQUIRE(get("/metrics", "Via: 1.1 p\r\nAuthorization: Bearer guess\r\n").status() == 403);
  CHECK(get("/metrics", "Via: 1.1 p\r\nAuthorization: Bearer tk-1\r\n").status() == 403);
  CHECK(log_text.str().find("wrong tokens in a minute") != std::string::npos);
}

TEST_CASE_METHOD(gateway_fixture, "without an access token no bearer token makes an operator", "[gateway]") {
  security.access_token = "";
  open();
  CHECK(get("/metrics", "Via: 1.1 p\r\nAuthorization: Bearer \r\n").status() == 403);
  CHECK(get("/metrics").status() == 200);
}

TEST_CASE_METHOD(gateway_fixture, "operators' paths have one spelling", "[gateway]") {
  open();
  for (const auto* other : {"//metrics", "/metrics/", "/xxl-job-admin/metrics"})
    CHECK(get(other).status() == 403);
  CHECK(get("/metrics?x=1").status() == 200);
  CHECK(get("/readyz").body == R"({"ready":true,"reasons":[]})");
  for (const auto* other : {"//readyz", "/xxl-job-admin/readyz"})
    CHECK(get(other).body == R"({"ready":true})");
}

TEST_CASE("a request is local by its peer, its headers and its Host", "[gateway]") {
  protocol::http_request request;
  CHECK_FALSE(gateway::is_local(request));
  request.remote_is_loopback = true;
  CHECK(gateway::is_local(request));
  request.headers = {{"Host", "localhost:8080"}};
  CHECK(gateway::is_local(request));
  request.headers = {{"Host", "rebound.example"}};
  CHECK_FALSE(gateway::is_local(request));
}

TEST_CASE("tokens are equal only as a whole", "[gateway]") {
  CHECK(core::equal_in_constant_time("", ""));
  CHECK(core::equal_in_constant_time("abc", "abc"));
  for (const auto* other : {"", "a", "ab", "abd", "abcabc", "ABC", "abca"})
    CHECK_FALSE(core::equal_in_constant_time(other, "abc"));
}

TEST_CASE("targets become plain paths", "[gateway]") {
  CHECK(gateway::plain_path("/") == "/");
  CHECK(gateway::plain_path("//") == "/");
  CHECK(gateway::plain_path("/a//b/") == "/a/b");
  CHECK(gateway::plain_path("/a?b=/c#d") == "/a");
  CHECK(gateway::plain_path("http://h:1") == "/");
  CHECK(gateway::plain_path("http://h:1/a?x").compare("/a") == 0);
  CHECK(gateway::plain_path("*").empty());
  CHECK(gateway::below_context("/ctx/api/x", "/ctx") == "/api/x");
  CHECK(gateway::below_context("/ctx", "/ctx") == "/");
  CHECK(gateway::below_context("/ctxx/api", "/ctx") == "/ctxx/api");
  CHECK(gateway::below_context("/api/x", "/") == "/api/x");
  CHECK(gateway::default_api("/xxl-job-admin/api/x") == "/api/x");
  for (const auto* other : {"/api/x", "/xxl-job-admin", "/xxl-job-admin/livez", "/xxl-job-adminx/api/x"})
    CHECK(gateway::default_api(other).empty());
  CHECK(gateway::api_operation("/api/x") == "x");
  CHECK(gateway::api_operation("/api/x/y").empty());
  CHECK(gateway::api_operation("/apix").empty());
}
