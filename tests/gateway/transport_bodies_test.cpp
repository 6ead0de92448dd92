// Budget of all request bodies together: its line, and sessions that wait in it.

#include "tests/support/catch.hpp"

#include <tuple>
#include <vector>

#include "gateway/transport/io/body_budget.hpp"
#include "gateway/transport/server/client_shares.hpp"
#include "tests/gateway/transport_fixture.hpp"
#include "tests/support/raw_socket.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using gateway::http::body_budget;
using gateway::http::body_share;

namespace {

struct share final : body_share {
  using body_share::body_share;
  void room_came() override { ++called; }
  int called = 0;
};

std::string post_of(std::size_t bytes, const std::string& target) {
  return "POST " + target + " HTTP/1.1\r\nContent-Length: " + std::to_string(bytes) + "\r\n\r\n" + std::string(bytes, 'x');
}

/// Server that answers with the size of the body; the reply to `/hold` is kept back until `release`.
class bodies_fixture : public transport_fixture {
public:
  bodies_fixture() {
    server.buffered_bytes_max = 64 * 1024;
    server.body_bytes_max = 1024 * 1024;
  }

  void open() {
    listen([this](protocol::http_request&& request, protocol::http_reply_ptr reply) {
      if (request.target == "/hold") {
        held_ = std::move(reply);
        return held.set();
      }
      answer(*reply, request.body.size());
    });
  }
  /// Runs on another thread than the one that held it: call it after waiting for `held`.
  void release() { answer(*held_, 0); }

  void wait_for_waits(std::uint64_t n, raw_socket& quiet) {
    const auto end = std::chrono::steady_clock::now() + test_deadline;
    while (transport->counters().body_waits < n && std::chrono::steady_clock::now() < end)
      CHECK(quiet.is_quiet_for(1ms));
    REQUIRE(transport->counters().body_waits == n);
  }

  event held;

private:
  static void answer(protocol::http_reply& reply, std::size_t size) {
    reply.send({200, "application/json", std::to_string(size), {}});
  }
  protocol::http_reply_ptr held_;
};

} // namespace

TEST_CASE_METHOD(bodies_fixture, "a body that is longer than the rule permits is not read", "[gateway]") {
  std::string seen;
  listen(
    [&seen](protocol::http_request&& request, protocol::http_reply_ptr reply) {
      seen = (request.body_omitted ? "omitted " : "whole ") + std::to_string(request.body.size());
      reply->send({});
    },
    [](std::string_view method, std::string_view target) {
      return method == "POST" && target == "/short" ? std::size_t{20'000} : std::size_t{1'000'000};
    });
  for (const auto& [bytes, target, expected] : {std::tuple{20'000, "/short", "whole 20000"}, {20'001, "/short", "omitted 0"},
                                                {20'001, "/long", "whole 20001"}, {100, "/short", "whole 100"}}) {
    auto client = raw_socket::connect(address);
    client.send(post_of(static_cast<std::size_t>(bytes), target));
    CHECK(client.read_message().status() == 200);
    CHECK(seen == expected);
  }
  // The header decides: the client need not send its body.
  auto client = raw_socket::connect(address);
  client.send("POST /short HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n");
  const auto reply = client.read_message();
  CHECK(reply.status() == 200);
  CHECK(reply.head.find("Connection: close") != std::string::npos);
}

TEST_CASE("connections are shared between clients", "[gateway]") {
  namespace asio = gateway::http::asio;
  gateway::http::client_shares shares{2, {"10.0.0.9"}};
  const auto take = [&shares](const char* remote) { return shares.take(asio::ip::make_address(remote)); };
  const auto first = take("2001:db8::1");
  REQUIRE(first);
  CHECK(take("2001:db8::2"));
  CHECK_FALSE(take("2001:db8::3"));
  CHECK(take("10.0.0.1"));
  for (int i = 0; i < 5; ++i) {
    CHECK(take("127.0.0.1") == std::string{});
    CHECK(take("10.0.0.9") == std::string{});
  }
  shares.give_back(*first);
  CHECK(take("2001:db8::3"));
  shares.give_back("");
  CHECK(shares.clients() == 2);
}

TEST_CASE("bodies: a share within the budget is granted, a growing share is counted once", "[gateway]") {
  body_budget budget{100};
  share a{budget}, b{budget};
  CHECK(a.hold(40));
  CHECK(a.hold(60));
  CHECK(a.hold(10));
  CHECK(budget.held() == 60);
  CHECK(b.hold(40));
  CHECK(budget.held() == 100);
  a.give_back();
  a.give_back();
  CHECK(budget.held() == 40);
  CHECK(a.called + b.called == 0);
}

TEST_CASE("bodies: one share may exceed the budget, the others wait in line", "[gateway]") {
  body_budget budget{100};
  share a{budget}, b{budget}, c{budget}, d{budget};
  CHECK(a.hold(90));
  CHECK(b.hold(50));
  CHECK(budget.held() == 140);
  CHECK_FALSE(a.hold(95));
  CHECK_FALSE(c.hold(5));
  CHECK_FALSE(d.hold(1));
  // The share ahead goes on, whatever waits.
  CHECK(b.hold(70));
  CHECK(budget.held() == 160);
  CHECK(a.called + c.called + d.called == 0);
  b.give_back();
  // There is room for the first two; the third is now the share that may exceed the budget.
  CHECK(a.called == 1);
  CHECK(c.called == 1);
  CHECK(d.called == 1);
  CHECK(budget.held() == 101);
}

TEST_CASE("bodies: a share that ends leaves the line and gives its place to the next", "[gateway]") {
  body_budget budget{10};
  share a{budget}, last{budget};
  CHECK(a.hold(20));
  {
    share b{budget}, c{budget};
    CHECK_FALSE(b.hold(20));
    CHECK_FALSE(c.hold(20));
    CHECK_FALSE(last.hold(20));
    b.give_back();
    CHECK(c.called + last.called == 0);
    a.give_back();
    CHECK(c.called == 1);
    CHECK(last.called == 0);
  }
  CHECK(last.called == 1);
  CHECK(budget.held() == 20);
  last.give_back();
  CHECK(budget.held() == 0);
}

TEST_CASE_METHOD(bodies_fixture, "a large body waits for room, small ones do not", "[gateway]") {
  open();
  auto first = raw_socket::connect(address), second = raw_socket::connect(address), small = raw_socket::connect(address);
  first.send(post_of(200'000, "/hold"));
  REQUIRE(held.wait());
  second.send(post_of(200'000, "/second"));
  wait_for_waits(1, second);
  small.send(post_of(12'000, "/small"));
  CHECK(small.read_message().body == "12000");
  CHECK(second.is_quiet_for(20ms));
  release();
  CHECK(first.read_message().body == "0");
  CHECK(second.read_message().body == "200000");
  // Both go on; no bytes of their shares are left.
  for (auto* each : {&first, &second}) {
    each->send(post_of(300'000, "/again"));
    CHECK(each->read_message().body == "300000");
  }
  CHECK(transport->counters().body_waits == 1);
}

TEST_CASE_METHOD(bodies_fixture, "a body that finds no room in time ends unanswered", "[gateway]") {
  server.read_timeout = 100ms;
  open();
  auto first = raw_socket::connect(address), second = raw_socket::connect(address), third = raw_socket::connect(address);
  first.send(post_of(200'000, "/hold"));
  REQUIRE(held.wait());
  second.try_send(post_of(200'000, "/second"));
  CHECK(second.is_closed());
  release();
  CHECK(first.read_message().body == "0");
  third.send(post_of(200'000, "/third"));
  CHECK(third.read_message().body == "200000");
}

TEST_CASE_METHOD(bodies_fixture, "a client that disconnects while it waits gives its turn to the next", "[gateway]") {
  open();
  auto first = raw_socket::connect(address), next = raw_socket::connect(address);
  first.send(post_of(200'000, "/hold"));
  REQUIRE(held.wait());
  {
    auto gone = raw_socket::connect(address);
    auto body = post_of(200'000, "/gone");
    gone.send(std::string_view{body}.substr(0, 150'000));
    wait_for_waits(1, first);
  }
  next.send(post_of(200'000, "/next"));
  wait_for_waits(2, next);
  release();
  CHECK(next.read_message().body == "200000");
}

TEST_CASE_METHOD(bodies_fixture, "more bodies than fit are received one after the other", "[gateway]") {
  trigger.request_timeout = 10s;
  open();
  collected_results results{60};
  std::vector<protocol::http_call> calls;
  for (std::size_t i = 0; i < 60; ++i)
    calls.push_back(make_call("http://" + address, "/", std::string(500'000 + i, 'x')));
  post(results, std::move(calls));
  results.wait_all();
  for (std::size_t i = 0; i < 60; ++i)
    CHECK(results.wait(i).body == std::to_string(500'000 + i));
}

TEST_CASE_METHOD(bodies_fixture, "a refused body holds no room", "[gateway]") {
  open();
  for (int i = 0; i < 3; ++i) {
    auto client = raw_socket::connect(address);
    client.send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int piece = 0; piece < 17; ++piece)
      client.try_send("10000\r\n" + std::string(65536, 'x') + "\r\n");
    CHECK(client.read_message().status() == 413);
  }
  auto client = raw_socket::connect(address);
  client.send(post_of(900'000, "/"));
  CHECK(client.read_message().body == "900000");
}
