#include "tests/support/catch.hpp"

#include <array>
#include <random>
#include <stdexcept>

#include "tests/gateway/gateway_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;

namespace {

const std::string token = "XXL-JOB-ACCESS-TOKEN: tk-1\r\n";

/// Checks for a refusal that executors can read, whatever was sent.
void check_refused(const raw_socket::message& reply) {
  CHECK(reply.status() == 200);
  CHECK(reply.body.rfind(R"({"code":500,"msg":")", 0) == 0);
  CHECK(reply.body.find(R"(","content":null,"data":null})") != std::string::npos);
}

void falls_silent_and_throws(gateway::exchange ex) {
  ex.keep_silent();
  throw std::runtime_error("no such luck");
}

void refuses_then_succeeds(gateway::exchange ex) {
  ex.keep_silent();
  ex.refuse("not sent to the client");
  ex.succeed();
  ex.succeed();
}

void throws(gateway::exchange) { throw std::runtime_error("no such luck \"quoted\""); }

} // namespace

TEST_CASE_METHOD(gateway_fixture, "a callback of 10 MB is read completely", "[gateway]") {
  open();
  const std::string body = R"([{"logId":1,"handleCode":500,"handleMsg":")" + std::string(10 * 1024 * 1024, 'x') + "\"}]";
  CHECK(post("/api/callback", body).body == plain_success);
  REQUIRE(seen->callbacks.size() == 1);
  CHECK(seen->callbacks[0].message.size() == 15000);
}

TEST_CASE_METHOD(gateway_fixture, "a body one byte over the limit is refused before any actor is asked", "[gateway]") {
  open();
  client = raw_socket::connect(address);
  client.try_send(text("POST", "/api/callback", std::string(server.body_bytes_max + 1, ' '), token));
  CHECK(client.read_message().status() == 413);
  CHECK(client.is_closed());
  CHECK(seen->batches == 0);
}

TEST_CASE_METHOD(gateway_fixture, "a client that stops within its body is disconnected, others are served", "[gateway]") {
  server.read_timeout = 200ms;
  open();
  auto slow = raw_socket::connect(address);
  slow.send("POST /api/registry HTTP/1.1\r\nHost: x\r\n" + token + "Content-Length: 100\r\n\r\n{\"registryGroup\"");
  CHECK(get("/livez").body == "ok");
  CHECK(slow.is_closed());
  CHECK(seen->beats.empty());
}

TEST_CASE_METHOD(gateway_fixture, "NUL, broken UTF-8 and deep nesting do no harm", "[gateway]") {
  open();
  using namespace std::string_literals;
  auto value = [](const std::string& text) {
    return R"({"registryGroup":"EXECUTOR","registryKey":"app-1","registryValue":")" + text + "\"}";
  };
  CHECK(post("/api/registry", value("http://h\0:1/"s)).body == plain_success);
  CHECK(post("/api/registry", value("http://\xff\xfe:1/")).body == plain_success);
  REQUIRE(seen->wait([](recorder& r) { return r.beats.size() == 2; }));
  CHECK(seen->beats[0].address == "http://h:1/");
  CHECK(seen->beats[1].address == "http://\xEF\xBF\xBD\xEF\xBF\xBD:1/");
  for (const auto* path : {"/api/registry", "/api/callback"}) {
    check_refused(post(path, std::string(200'000, '[')));
    check_refused(post(path, "{\"a\":" + std::string(200'000, '{')));
    check_refused(post(path, "\0\0\0\0"s));
    check_refused(post(path, "\xc3\x28"));
  }
  check_refused(post("/api/regi\xc3stry\"", "{}"));
  CHECK(post("/api/callback", R"([{"logId":7,"handleCode":200,"handleMsg":")" + "a\0b\xff"s + "\"}]").body == plain_success);
  CHECK(seen->callbacks.at(0).message == "ab\xEF\xBF\xBD");
}

TEST_CASE_METHOD(gateway_fixture, "random bytes as a body are answered on the same connection", "[gateway]") {
  open();
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random{seed};
  for (int round = 0; round < 300; ++round) {
    std::string body(std::uniform_int_distribution<std::size_t>{1, 200}(random), '\0');
    for (auto& c : body)
      c = "{}[]\",:\\u0 nlogId1-\xff\0x"[std::uniform_int_distribution<std::size_t>{0, 21}(random)];
    CAPTURE(body);
    auto reply = post(round % 2 == 0 ? "/api/callback" : "/api/registry", body);
    CHECK(reply.status() == 200);
    CHECK(reply.body.rfind("{\"code\":", 0) == 0);
  }
}

TEST_CASE_METHOD(gateway_fixture, "an unknown path is a problem, not an API reply", "[gateway]") {
  open();
  for (const auto* path : {"/api", "/api/", "/nothing", "/api/a/b", "/xxl-job-adminx", "/xxl-job-adminx/api/registry", "*"}) {
    CAPTURE(path);
    auto reply = post(path, "{}");
    CHECK(reply.first_line == "HTTP/1.1 404 Not Found");
    CHECK(reply.head.find("Content-Type: application/problem+json\r\n") != std::string::npos);
    CHECK(reply.body == R"({"type":"urn:ringmaster:not_found","title":"Not Found","status":404,"detail":"no such path"})");
  }
}

TEST_CASE_METHOD(gateway_fixture, "an exception ends one request, not the gateway", "[gateway]") {
  static constexpr std::array<gateway::route, 2> table{{
    {"GET", "/plain", throws, gateway::access::anyone},
    {"POST", "/api/broken", throws, gateway::access::executor},
  }};
  open(table);
  auto reply = get("/plain");
  CHECK(reply.status() == 500);
  CHECK(reply.body ==
        R"({"type":"urn:ringmaster:internal","title":"Internal Server Error","status":500,"detail":"internal error"})");
  CHECK(post("/api/broken", "{}").body == refusal("internal error"));
  CHECK(get("/plain").status() == 500);
  CHECK(log_text.str().find("no such luck") != std::string::npos);
}

TEST_CASE_METHOD(gateway_fixture, "an exception after keep_silent is logged, not answered", "[gateway]") {
  server.reply_timeout = 400ms;
  static constexpr std::array<gateway::route, 2> table{{
    {"POST", "/api/silent", falls_silent_and_throws, gateway::access::executor},
    {"GET", "/plain", throws, gateway::access::anyone},
  }};
  open(table);
  auto waiting = raw_socket::connect(address);
  waiting.send(text("POST", "/api/silent", "{}", "XXL-JOB-ACCESS-TOKEN: tk-1\r\n"));
  CHECK(waiting.read_to_end().empty());
  CHECK(get("/plain").status() == 500);
  CHECK(log_text.str().find("/api/silent: no such luck") != std::string::npos);
}

TEST_CASE_METHOD(gateway_fixture, "after keep_silent a success is still answered, once", "[gateway]") {
  static constexpr std::array<gateway::route, 1> table{{
    {"POST", "/api/late", refuses_then_succeeds, gateway::access::executor},
  }};
  open(table);
  CHECK(post("/api/late", "{}").body == plain_success);
  // On the same connection: no bytes followed that reply.
  CHECK(post("/api/late", "{}").body == plain_success);
}
