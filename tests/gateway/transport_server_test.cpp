#include "tests/support/catch.hpp"

#include <thread>

#include "tests/gateway/transport_fixture.hpp"
#include "tests/support/raw_socket.hpp"

using namespace ringmaster;
using namespace ringmaster::test;

namespace {

std::string post_text(std::string_view body, std::string_view more = "") {
  return "POST /api/registry HTTP/1.1\r\nHost: x\r\n" + std::string(more) + "Content-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + std::string(body);
}

} // namespace

TEST_CASE_METHOD(transport_fixture, "a request reaches the handler complete, and its reply the client", "[gateway]") {
  std::mutex mutex;
  protocol::http_request seen;
  listen([&](protocol::http_request&& request, protocol::http_reply_ptr reply) {
    std::lock_guard guard{mutex};
    seen = std::move(request);
    protocol::http_response response;
    response.headers = {{"Set-Cookie", "a=b"}};
    response.body = "{\"code\":200}";
    reply->send(std::move(response));
  });
  auto client = raw_socket::connect(address);
  client.send("POST /xxl-job-admin/api/callback?x=%20 HTTP/1.1\r\nHost: x\r\nAccept: text/html, *; q=.2, */*; q=.2\r\n"
              "xxl-job-access-token: tk-1\r\nX-Empty:\r\nX-Latin: \xe4\r\nContent-Length: 4\r\n\r\n[{}]");
  auto reply = client.read_message();
  CHECK(reply.head == "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nKeep-Alive: timeout=90\r\nContent-Type: application/json\r\n"
                      "Set-Cookie: a=b\r\nContent-Length: 12\r\n\r\n");
  CHECK(reply.body == "{\"code\":200}");
  std::lock_guard guard{mutex};
  CHECK(seen.method == "POST");
  CHECK(seen.target == "/xxl-job-admin/api/callback?x=%20");
  CHECK(seen.body == "[{}]");
  CHECK(seen.remote_address == "127.0.0.1");
  CHECK(seen.remote_is_loopback);
  REQUIRE(seen.find_header("XXL-JOB-ACCESS-TOKEN"));
  CHECK(*seen.find_header("XXL-JOB-ACCESS-TOKEN") == "tk-1");
  CHECK(*seen.find_header("Accept") == "text/html, *; q=.2, */*; q=.2");
  CHECK(seen.find_header("x-empty")->empty());
}

TEST_CASE_METHOD(transport_fixture, "one connection carries many requests", "[gateway]") {
  listen_echo();
  auto client = raw_socket::connect(address);
  for (int i = 0; i < 200; ++i) {
    auto body = std::string(static_cast<std::size_t>(i * 37), 'b');
    client.send(post_text(body));
    CHECK(client.read_message().body == "POST /api/registry " + body);
  }
  CHECK(transport->counters().requests == 200);
  CHECK(transport->counters().connections_open == 1);
}

TEST_CASE_METHOD(transport_fixture, "pipelined requests are answered in order, also from other threads", "[gateway]") {
  listen([](protocol::http_request&& request, protocol::http_reply_ptr reply) {
    // The first half inline, the others from a separate thread.
    protocol::http_response response;
    response.body = request.target;
    if (std::stoi(request.target.substr(1)) < 50)
      return reply->send(std::move(response));
    std::thread([reply, response = std::move(response)]() mutable { reply->send(std::move(response)); }).detach();
  });
  auto client = raw_socket::connect(address);
  std::string all;
  for (int i = 0; i < 100; ++i)
    all += "GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\n\r\n";
  client.send(all);
  for (int i = 0; i < 100; ++i)
    REQUIRE(client.read_message().body == "/" + std::to_string(i));
}

TEST_CASE_METHOD(transport_fixture, "the connection stays open or closes as the client requests", "[gateway]") {
  listen_echo();
  struct row {
    const char* request;
    bool stays;
  };
  auto given = GENERATE(row{"GET / HTTP/1.1\r\nHost: x\r\n\r\n", true}, row{"GET / HTTP/1.1\r\nConnection: close\r\n\r\n", false},
                        row{"GET / HTTP/1.0\r\n\r\n", false}, row{"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true});
  CAPTURE(given.request);
  auto client = raw_socket::connect(address);
  client.send(given.request);
  auto reply = client.read_message();
  CHECK(reply.status() == 200);
  CHECK((reply.head.find("Connection: keep-alive") != std::string::npos) == given.stays);
  if (given.stays) {
    client.send(given.request);
    CHECK(client.read_message().status() == 200);
  } else {
    CHECK(client.is_closed());
  }
}

TEST_CASE_METHOD(transport_fixture, "a client that closes its side after the request gets the reply", "[gateway]") {
  listen_echo();
  auto client = raw_socket::connect(address);
  client.send(post_text("{}"));
  client.shutdown_write();
  CHECK(client.read_message().body == "POST /api/registry {}");
  CHECK(client.is_closed());
}

TEST_CASE_METHOD(transport_fixture, "chunked bodies are accepted", "[gateway]") {
  listen_echo();
  auto client = raw_socket::connect(address);
  std::string head = "POST /api/registry HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  client.send(head + "3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\nX-Trailer: 1\r\n\r\n");
  CHECK(client.read_message().body == "POST /api/registry abcdefg");
  // In pieces, and the connection is still usable.
  for (char c : head + "1\r\nx\r\n0\r\n\r\n")
    client.send({&c, 1});
  CHECK(client.read_message().body == "POST /api/registry x");
}

TEST_CASE_METHOD(transport_fixture, "a client that expects 100-continue gets it", "[gateway]") {
  listen_echo();
  auto client = raw_socket::connect(address);
  client.send("POST /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  CHECK(client.read_message().status() == 100);
  client.send("abc");
  CHECK(client.read_message().body == "POST /a abc");
  SECTION("but not when it did not wait") {
    client.send("POST /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc");
    CHECK(client.read_message().status() == 200);
  }
  SECTION("and refused before it sends too much") {
    client.send("POST /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 99999999\r\n\r\n");
    CHECK(client.read_message().status() == 413);
    CHECK(client.is_closed());
  }
}

TEST_CASE_METHOD(transport_fixture, "HEAD gets the length without the body, 204 neither", "[gateway]") {
  listen([](protocol::http_request&& request, protocol::http_reply_ptr reply) {
    protocol::http_response response;
    response.status = request.target == "/none" ? 204 : 200;
    response.body = "12345";
    reply->send(std::move(response));
  });
  auto client = raw_socket::connect(address);
  client.send("HEAD / HTTP/1.1\r\n\r\n");
  CHECK(client.read_until("\r\n\r\n").find("Content-Length: 5\r\n") != std::string::npos);
  client.send("GET /none HTTP/1.1\r\n\r\n");
  CHECK(client.read_until("\r\n\r\n").find("Content-Length") == std::string::npos);
  client.send("GET / HTTP/1.1\r\n\r\n");
  CHECK(client.read_message().body == "12345");
}

TEST_CASE_METHOD(transport_fixture, "large bodies pass in both directions", "[gateway]") {
  listen_echo();
  auto client = raw_socket::connect(address);
  std::string body(10 * 1024 * 1024, 'j');
  for (std::size_t i = 0; i < body.size(); i += 4099)
    body[i] = static_cast<char>('a' + i % 26);
  std::thread writer([&] { client.send(post_text(body)); });
  auto reply = client.read_message();
  writer.join();
  CHECK(reply.body.size() == body.size() + 19);
  CHECK(reply.body.substr(19) == body);
  client.send(post_text("small"));
  CHECK(client.read_message().body == "POST /api/registry small");
}

TEST_CASE_METHOD(transport_fixture, "only the first answer is sent, from any thread", "[gateway]") {
  listen([](protocol::http_request&& request, protocol::http_reply_ptr reply) {
    if (request.target == "/drop")
      return;
    if (request.target == "/throw")
      throw std::runtime_error("defect");
    protocol::http_response first, second;
    first.body = "first";
    second.body = "second";
    reply->send(std::move(first));
    reply->send(std::move(second));
    std::thread([reply] { reply->send({}); }).join();
  });
  auto client = raw_socket::connect(address);
  for (int i = 0; i < 3; ++i) {
    client.send("GET / HTTP/1.1\r\n\r\n");
    CHECK(client.read_message().body == "first");
    client.send("GET /drop HTTP/1.1\r\n\r\n");
    auto dropped = client.read_message();
    CHECK(dropped.status() == 500);
    CHECK(dropped.body == R"({"type":"urn:ringmaster:internal","title":"Internal Server Error","status":500,)"
                          R"("detail":"the request was dropped","code":500,"msg":"the request was dropped"})");
    client.send("GET /throw HTTP/1.1\r\n\r\n");
    CHECK(client.read_message().status() == 500);
  }
}

TEST_CASE_METHOD(transport_fixture, "a reply dropped on another thread answers 500", "[gateway]") {
  listen([](protocol::http_request&&, protocol::http_reply_ptr reply) { std::thread([reply = std::move(reply)] {}).detach(); });
  auto client = raw_socket::connect(address);
  client.send("GET / HTTP/1.1\r\n\r\n");
  CHECK(client.read_message().status() == 500);
}

TEST_CASE_METHOD(transport_fixture, "a missing reply is replaced by 503, and the late reply is dropped", "[gateway]") {
  server.reply_timeout = 50ms;
  event timed_out;
  protocol::http_reply_ptr held;
  listen([&](protocol::http_request&&, protocol::http_reply_ptr reply) { held = std::move(reply); });
  auto client = raw_socket::connect(address);
  client.send("GET / HTTP/1.1\r\n\r\n");
  auto reply = client.read_message();
  CHECK(reply.status() == 503);
  CHECK(reply.head.find("\r\nContent-Type: application/problem+json\r\n") != std::string::npos);
  CHECK(reply.body == R"({"type":"urn:ringmaster:unavailable","title":"Service Unavailable","status":503,)"
                      R"("detail":"no reply in time","code":503,"msg":"no reply in time"})");
  held->send({});
  held.reset();
  CHECK(client.is_closed());
}

TEST_CASE_METHOD(transport_fixture, "a held reply may come after the limit, followed by the next request", "[gateway]") {
  server.reply_timeout = 50ms;
  event limit_passed;
  std::vector<protocol::http_reply_ptr> never;
  listen([&](protocol::http_request&& request, protocol::http_reply_ptr reply) {
    if (request.target == "/never")
      return never.push_back(std::move(reply));
    if (request.target != "/wait")
      return reply->send({});
    reply->hold(30s);
    std::thread([reply, &limit_passed] {
      limit_passed.wait();
      protocol::http_response late;
      late.body = "late";
      reply->send(std::move(late));
    }).detach();
  });
  // A request without `hold` is answered with 503 at the limit.
  auto other = raw_socket::connect(address);
  auto client = raw_socket::connect(address);
  // The second request arrives while the first one waits.
  client.send("GET /wait HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n");
  other.send("GET /never HTTP/1.1\r\n\r\n");
  CHECK(other.read_message().status() == 503);
  limit_passed.set();
  CHECK(client.read_message().body == "late");
  CHECK(client.read_message().status() == 200);
  client.send("GET /wait HTTP/1.1\r\n\r\n");
  CHECK(client.read_message().body == "late");
  client.send("GET / HTTP/1.1\r\n\r\n");
  CHECK(client.read_message().status() == 200);
}

TEST_CASE_METHOD(transport_fixture, "a client that disconnects while its reply is held is no longer awaited", "[gateway]") {
  event came;
  protocol::http_reply_ptr held;
  listen([&](protocol::http_request&&, protocol::http_reply_ptr reply) {
    reply->hold(1h);
    held = std::move(reply);
    came.set();
  });
  {
    auto client = raw_socket::connect(address);
    client.send("GET / HTTP/1.1\r\n\r\n");
    REQUIRE(came.wait());
    CHECK(held->is_awaited());
  }
  const auto give_up = std::chrono::steady_clock::now() + test_deadline;
  while (held->is_awaited() && std::chrono::steady_clock::now() < give_up)
    std::this_thread::yield();
  CHECK_FALSE(held->is_awaited());
  CHECK(transport->counters().connections_open == 0);
}

TEST_CASE_METHOD(transport_fixture, "IPv6 is served", "[gateway]") {
  server.listen = "[::1]:0";
  listen_echo();
  CHECK(address.starts_with("[::1]:"));
  auto client = raw_socket::connect(address);
  client.send("GET /six HTTP/1.1\r\n\r\n");
  CHECK(client.read_message().body == "GET /six ");
}

TEST_CASE_METHOD(transport_fixture, "an address in use and an invalid one are named in the error", "[gateway]") {
  raw_listener other;
  server.listen = other.address();
  start();
  auto used = transport->listen([](auto&&, auto) {});
  REQUIRE_FALSE(used);
  CHECK(used.error().code == core::errc::unavailable);
  CHECK(used.error().context.find(other.address()) != std::string::npos);

  auto bad = GENERATE("127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:70000", "::1:80", "no.such.host.invalid:0", "[::1:80",
                      "[x]:80", "a b:80");
  CAPTURE(bad);
  transport_fixture fixture;
  fixture.server.listen = bad;
  fixture.start();
  auto bound = fixture.transport->listen([](auto&&, auto) {});
  REQUIRE_FALSE(bound);
  CHECK(bound.error().code == core::errc::invalid_argument);
}

TEST_CASE_METHOD(transport_fixture, "a bound address is exclusive, and clients wait until the server listens", "[gateway]") {
  start();
  auto bound = transport->bind();
  REQUIRE(bound);
  CHECK_FALSE(transport->bind());

  transport_fixture second;
  second.server.listen = *bound;
  second.start();
  auto refused = second.transport->bind();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == core::errc::unavailable);

  auto client = raw_socket::connect(*bound);
  client.send("GET / HTTP/1.1\r\n\r\n");
  auto listening = transport->listen([](protocol::http_request&&, protocol::http_reply_ptr reply) { reply->send({}); });
  REQUIRE(listening);
  CHECK(*listening == *bound);
  CHECK(client.read_message().status() == 200);
}

TEST_CASE_METHOD(transport_fixture, "a server listens only once", "[gateway]") {
  listen_echo();
  CHECK_FALSE(transport->listen([](auto&&, auto) {}));
}

TEST_CASE_METHOD(transport_fixture, "stop_accepting lets requests end and closes idle connections", "[gateway]") {
  protocol::http_reply_ptr held;
  event arrived;
  listen([&](protocol::http_request&& request, protocol::http_reply_ptr reply) {
    if (request.target == "/quick")
      return reply->send({});
    held = std::move(reply);
    arrived.set();
  });
  auto idle = raw_socket::connect(address), busy = raw_socket::connect(address);
  idle.send("GET /quick HTTP/1.1\r\n\r\n");
  CHECK(idle.read_message().status() == 200);
  busy.send("GET /slow HTTP/1.1\r\n\r\n");
  REQUIRE(arrived.wait());
  transport->stop_accepting();
  CHECK(idle.is_closed());
  CHECK_THROWS(raw_socket::connect(address));
  held->send({});
  auto reply = busy.read_message();
  CHECK(reply.status() == 200);
  CHECK(reply.head.find("Connection: close") != std::string::npos);
  CHECK(busy.is_closed());
}

TEST_CASE_METHOD(transport_fixture, "stop ends every connection, and later replies do nothing", "[gateway]") {
  protocol::http_reply_ptr held;
  event arrived;
  listen([&](protocol::http_request&&, protocol::http_reply_ptr reply) {
    held = std::move(reply);
    arrived.set();
  });
  auto silent = raw_socket::connect(address), partial = raw_socket::connect(address), waiting = raw_socket::connect(address);
  partial.send("POST / HTTP/1.1\r\nContent-Le");
  waiting.send("GET / HTTP/1.1\r\n\r\n");
  REQUIRE(arrived.wait());
  transport->stop();
  CHECK(silent.is_closed());
  CHECK(partial.is_closed());
  CHECK(waiting.is_closed());
  transport->stop();
  transport.reset();
  held->send({});
}
