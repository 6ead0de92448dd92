#include "tests/support/catch.hpp"

#include <ctime>
#include <random>
#include <thread>

#include <sys/resource.h>

#include "tests/gateway/transport_fixture.hpp"
#include "tests/support/raw_socket.hpp"

using namespace ringmaster;
using namespace ringmaster::test;

namespace {

/// Returns the status that a client gets for `text`, before the connection closes.
int refusal(const std::string& address, const std::string& text) {
  auto client = raw_socket::connect(address);
  client.send(text);
  auto reply = client.read_message();
  CHECK(reply.head.find("Connection: close\r\n") != std::string::npos);
  CHECK(reply.head.find("Content-Type: application/problem+json\r\n") != std::string::npos);
  CHECK(client.is_closed());
  return reply.status();
}

void check_serves(const std::string& address) {
  auto client = raw_socket::connect(address);
  client.send("GET /still HTTP/1.1\r\n\r\n");
  CHECK(client.read_message().body == "GET /still ");
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

} // namespace

TEST_CASE_METHOD(transport_fixture, "malformed requests are answered 400 and closed", "[gateway]") {
  listen_echo();
  auto text = GENERATE(
    "hello\r\n\r\n", "\x16\x03\x01\x02\x00\x01\x00\x01", "GET / HTTP/3.0\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n", "GET /\r\n\r\n",
    "G\x01T / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nBad Header: x\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
    "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n",
    "POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET / HTTP/1.1\nHost: x\n\n");
  CAPTURE(text);
  CHECK(refusal(address, text) == 400);
  check_serves(address);
}

TEST_CASE_METHOD(transport_fixture, "a header beyond the limit is answered 431", "[gateway]") {
  server.header_bytes_max = 2000;
  listen_echo();
  std::string head = "GET / HTTP/1.1\r\n";
  SECTION("one long line") { CHECK(refusal(address, head + "X: " + std::string(3000, 'x') + "\r\n\r\n") == 431); }
  SECTION("many short lines") {
    for (int i = 0; i < 300; ++i)
      head += "X: yyyyyy\r\n";
    CHECK(refusal(address, head + "\r\n") == 431);
  }
  SECTION("many short lines, slowly") {
    auto client = raw_socket::connect(address);
    client.send(head);
    while (client.try_send("X: yyyyyy\r\n") && client.is_quiet_for(0ms)) {
    }
    CHECK(client.read_message().status() == 431);
  }
  SECTION("a long target") { CHECK(refusal(address, "GET /" + std::string(3000, 'x')) == 431); }
  SECTION("target and lines together") {
    CHECK(refusal(address, "GET /" + std::string(1200, 'x') + " HTTP/1.1\r\nX: " + std::string(1200, 'x') + "\r\n\r\n") == 431);
  }
  SECTION("just inside") {
    auto rest = "X: \r\n\r\n";
    auto client = raw_socket::connect(address);
    client.send(head + "X: " + std::string(2000 - head.size() - std::string_view(rest).size(), 'x') + "\r\n\r\n");
    CHECK(client.read_message().status() == 200);
  }
  check_serves(address);
}

TEST_CASE_METHOD(transport_fixture, "a body beyond the limit is answered 413, and the client can read it", "[gateway]") {
  server.body_bytes_max = 1024 * 1024;
  listen_echo();
  SECTION("announced, and sent whole before the reply is read") {
    auto client = raw_socket::connect(address);
    client.send("POST / HTTP/1.1\r\nContent-Length: 3145728\r\n\r\n");
    client.send(std::string(3 * 1024 * 1024, 'x'));
    CHECK(client.read_message().status() == 413);
    client.shutdown_write();
    CHECK(client.is_ended());
  }
  SECTION("chunked") {
    auto client = raw_socket::connect(address);
    client.send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 20; ++i)
      client.send("10000\r\n" + std::string(65536, 'x') + "\r\n");
    CHECK(client.read_message().status() == 413);
  }
  SECTION("one huge chunk") {
    CHECK(refusal(address, "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFF\r\n") == 413);
  }
  SECTION("a length beyond any number") {
    CHECK(refusal(address, "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n") == 400);
  }
  SECTION("exactly the limit") {
    auto client = raw_socket::connect(address);
    std::thread writer(
      [&] { client.send("POST / HTTP/1.1\r\nContent-Length: 1048576\r\n\r\n" + std::string(1024 * 1024, 'x')); });
    CHECK(client.read_message().status() == 200);
    writer.join();
  }
  SECTION("without end: cut off") {
    auto client = raw_socket::connect(address);
    client.send("POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n");
    std::string piece(65536, 'x');
    int pieces = 0;
    while (client.try_send(piece))
      REQUIRE(++pieces < 10000);
  }
  check_serves(address);
}

TEST_CASE_METHOD(transport_fixture, "a chunk header or trailer without end is refused", "[gateway]") {
  server.header_bytes_max = 2000;
  listen_echo();
  auto begin = GENERATE("1;", "0\r\nX: ");
  auto client = raw_socket::connect(address);
  client.send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
  client.send(begin + std::string(5000, 'x'));
  CHECK(client.read_message().status() == 400);
}

TEST_CASE_METHOD(transport_fixture, "a slowly sent request is ended by the read timeout", "[gateway]") {
  server.read_timeout = 100ms;
  listen_echo();
  SECTION("in the header") {
    auto client = raw_socket::connect(address);
    client.send("GET / HTTP/1.1\r\n");
    while (client.is_quiet_for(10ms))
      client.try_send("X");
    CHECK(client.is_closed());
  }
  SECTION("in the body") {
    auto client = raw_socket::connect(address);
    client.send("POST / HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n");
    while (client.is_quiet_for(10ms))
      client.try_send("X");
    CHECK(client.is_closed());
  }
  SECTION("while others are served") {
    auto slow = raw_socket::connect(address);
    slow.send("GET / HTTP/1.1\r\n");
    check_serves(address);
    CHECK(slow.is_closed());
  }
}

TEST_CASE_METHOD(transport_fixture, "idle connections are closed, before and after a request", "[gateway]") {
  server.idle_timeout = 100ms;
  listen_echo();
  auto fresh = raw_socket::connect(address), used = raw_socket::connect(address), blank = raw_socket::connect(address);
  used.send("GET / HTTP/1.1\r\n\r\n");
  CHECK(used.read_message().status() == 200);
  CHECK(fresh.is_closed());
  CHECK(used.is_closed());
  // Line breaks before a request are skipped; they do not extend the time limit.
  while (blank.try_send("\r\n") && blank.is_quiet_for(10ms)) {
  }
  CHECK(blank.is_closed());
}

TEST_CASE_METHOD(transport_fixture, "a client that does not read is ended by the write timeout", "[gateway]") {
  server.write_timeout = 100ms;
  listen([](protocol::http_request&&, protocol::http_reply_ptr reply) {
    protocol::http_response response;
    response.body.assign(64 * 1024 * 1024, 'x');
    reply->send(std::move(response));
  });
  auto client = raw_socket::connect(address);
  client.send("GET / HTTP/1.1\r\n\r\n");
  client.read(1);
  // The server gives up; only buffered bytes still arrive.
  while (transport->counters().connections_open != 0)
    CHECK_FALSE(client.is_quiet_for(1ms));
  CHECK(client.read_to_end().size() < 64 * 1024 * 1024);
}

TEST_CASE_METHOD(transport_fixture, "too many connections are refused with a reply and counted", "[gateway]") {
  server.connections_max = 3;
  listen_echo();
  std::vector<raw_socket> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(raw_socket::connect(address));
    clients.back().send("GET / HTTP/1.1\r\n\r\n");
    CHECK(clients.back().read_message().status() == 200);
  }
  auto more = raw_socket::connect(address);
  more.try_send("GET / HTTP/1.1\r\n\r\n");
  auto reply = more.read_message();
  CHECK(reply.status() == 503);
  CHECK(reply.head.find("Connection: close") != std::string::npos);
  CHECK(more.is_closed());
  CHECK(transport->counters().connections_refused == 1);
  // A freed connection slot is used again.
  clients.pop_back();
  for (int status = 503; status != 200;) {
    auto next = raw_socket::connect(address);
    next.try_send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
    status = next.read_message().status();
  }
}

TEST_CASE_METHOD(transport_fixture, "connections reset at any moment do no harm", "[gateway]") {
  std::vector<protocol::http_reply_ptr> held;
  std::mutex mutex;
  listen([&](protocol::http_request&& request, protocol::http_reply_ptr reply) {
    if (request.target != "/hold")
      return reply->send({200, "application/json", request.method + " " + request.target + " " + request.body, {}});
    std::lock_guard guard{mutex};
    held.push_back(std::move(reply));
  });
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random{seed};
  const std::string whole = "POST /hold HTTP/1.1\r\nContent-Length: 10\r\n\r\n0123456789";
  for (int i = 0; i < 200; ++i) {
    auto client = raw_socket::connect(address);
    client.send(std::string_view{whole}.substr(0, random() % (whole.size() + 1)));
    if (random() % 2 == 0)
      client.reset();
  }
  check_serves(address);
  std::vector<protocol::http_reply_ptr> answers;
  {
    std::lock_guard guard{mutex};
    answers.swap(held);
  }
  for (auto& reply : answers)
    reply->send({});
  check_serves(address);
}

TEST_CASE_METHOD(transport_fixture, "random bytes never stop the server", "[gateway]") {
  server.read_timeout = 200ms;
  listen_echo();
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random{seed};
  const std::string sample =
    "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n4;a=\"b\"\r\nabcd\r\n0\r\nT: "
    "1\r\n\r\n";
  for (int i = 0; i < 500; ++i) {
    auto text = sample;
    for (auto changes = random() % 4; changes > 0; --changes)
      text[random() % text.size()] = static_cast<char>(random());
    auto client = raw_socket::connect(address);
    client.try_send(text);
    client.shutdown_write();
    client.read_to_end();
  }
  check_serves(address);
}

TEST_CASE_METHOD(transport_fixture, "without descriptors the server waits and does not spin", "[gateway]") {
  listen_echo();
  check_serves(address);
  auto waiting = raw_socket::open();
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  rlimit none = before;
  none.rlim_cur = 3;
  ::setrlimit(RLIMIT_NOFILE, &none);
  waiting.connect_now(address);
  waiting.send("GET /later HTTP/1.1\r\n\r\n");
  const auto used = cpu_seconds();
  const bool quiet = waiting.is_quiet_for(400ms);
  const auto spent = cpu_seconds() - used;
  ::setrlimit(RLIMIT_NOFILE, &before);
  CHECK(quiet);
  CHECK(spent < 0.2);
  CHECK(waiting.read_message().body == "GET /later ");
}
