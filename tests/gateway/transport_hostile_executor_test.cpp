#include "tests/support/catch.hpp"

#include "tests/gateway/transport_fixture.hpp"
#include "tests/support/raw_socket.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using protocol::delivery;

namespace {

struct hostile : transport_fixture {
  raw_listener executor;
  collected_results results{1};
  raw_socket peer;

  /// Starts a call and waits until its request has arrived; the test plays the executor.
  void begin(protocol::http_call call) {
    post(results, make_calls(std::move(call)));
    peer = executor.accept();
    peer.read_message();
  }
  void begin() { begin(make_call(executor.origin())); }
};

} // namespace

TEST_CASE_METHOD(hostile, "an executor that never answers causes a request timeout", "[gateway]") {
  auto call = make_call(executor.origin());
  call.request_timeout = 50ms;
  begin(call);
  auto result = results.wait();
  CHECK(result.state == delivery::unknown);
  CHECK(result.error == executor.address() + ": no reply within 50 ms");
  CHECK(result.elapsed >= 50ms);
  CHECK(peer.is_closed());
}

TEST_CASE_METHOD(hostile, "a call closed without a reply is unknown and not repeated", "[gateway]") {
  begin();
  SECTION("closed") { peer.close(); }
  SECTION("reset") { peer.reset(); }
  auto result = results.wait();
  CHECK(result.state == delivery::unknown);
  CHECK_FALSE(result.error.empty());
  CHECK(executor.is_quiet_for(50ms));
}

TEST_CASE_METHOD(hostile, "a connection that ends within the reply makes the call unknown", "[gateway]") {
  begin();
  auto piece = GENERATE("H", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345",
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab");
  peer.send(piece);
  SECTION("closed") { peer.close(); }
  SECTION("reset") { peer.reset(); }
  CHECK(results.wait().state == delivery::unknown);
}

TEST_CASE_METHOD(hostile, "a reply that is not HTTP makes the call unknown at once", "[gateway]") {
  begin();
  peer.send("\x15\x03\x01\x00\x02\x02\x28\n");
  CHECK(results.wait().state == delivery::unknown);
  CHECK(peer.is_closed());
}

TEST_CASE_METHOD(hostile, "a slowly sent reply is ended by the total deadline", "[gateway]") {
  auto call = make_call(executor.origin());
  call.request_timeout = 150ms;
  begin(call);
  peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
  while (peer.is_quiet_for(5ms))
    peer.try_send("x");
  CHECK(results.wait().state == delivery::unknown);
  CHECK(results.wait().elapsed < 5s);
}

TEST_CASE_METHOD(hostile, "a reply of ten megabytes is cut off by its limit", "[gateway]") {
  begin();
  auto head = GENERATE("HTTP/1.1 200 OK\r\nContent-Length: 10485760\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n",
                       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nA00000\r\n");
  std::string piece(65536, 'x');
  bool open = peer.try_send(head);
  for (int i = 0; i < 160 && open; ++i)
    open = peer.try_send(piece);
  auto result = results.wait();
  CHECK(result.state == delivery::unknown);
  CHECK(result.error.find("1048576") != std::string::npos);
}

TEST_CASE_METHOD(hostile, "a large reply within its limit arrives completely", "[gateway]") {
  auto call = make_call(executor.origin());
  call.reply_bytes_max = 20 * 1024 * 1024;
  begin(call);
  std::string body(10 * 1024 * 1024, 'r');
  peer.send(reply_with(body));
  auto result = results.wait();
  CHECK(result.state == delivery::answered);
  CHECK(result.body == body);
}

TEST_CASE_METHOD(hostile, "a header without end is cut off", "[gateway]") {
  begin();
  peer.send("HTTP/1.1 200 OK\r\n");
  while (peer.is_quiet_for(0ms))
    peer.try_send("X-Header: some value\r\n");
  auto result = results.wait();
  CHECK(result.state == delivery::unknown);
  CHECK(result.error.find("header") != std::string::npos);
}

TEST_CASE_METHOD(hostile, "an answer before the end of a large request counts", "[gateway]") {
  auto call = make_call(executor.origin());
  call.body.assign(64 * 1024 * 1024, 'x');
  post(results, make_calls(std::move(call)));
  peer = executor.accept();
  peer.read_until("\r\n\r\n");
  peer.send("HTTP/1.1 413 Request Entity Too Large\r\nContent-Length: 0\r\n\r\n");
  auto result = results.wait();
  CHECK(result.state == delivery::answered);
  CHECK(result.status == 413);
}

TEST_CASE_METHOD(hostile, "a large request is sent completely", "[gateway]") {
  std::string body(10 * 1024 * 1024, 'q');
  post(results, make_calls(make_call(executor.origin(), "/run", body)));
  peer = executor.accept();
  CHECK(peer.read_message().body == body);
  peer.send(reply_with("{}"));
  CHECK(results.wait().state == delivery::answered);
}

TEST_CASE_METHOD(hostile, "extra bytes after a reply make the connection unusable", "[gateway]") {
  begin();
  peer.send(reply_with("{}") + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil");
  CHECK(results.wait().body == "{}");
  CHECK(peer.is_closed());
  collected_results next{1};
  post(next, make_calls(make_call(executor.origin())));
  auto fresh = executor.accept();
  fresh.read_message();
  fresh.send(reply_with("good"));
  CHECK(next.wait().body == "good");
}

TEST_CASE_METHOD(hostile, "bytes on an idle connection are never taken for a reply", "[gateway]") {
  begin();
  peer.send(reply_with("{}"));
  CHECK(results.wait().body == "{}");
  peer.send(reply_with("evil"));
  CHECK(peer.is_closed());
  collected_results next{1};
  post(next, make_calls(make_call(executor.origin())));
  auto fresh = executor.accept();
  fresh.read_message();
  fresh.send(reply_with("good"));
  CHECK(next.wait().body == "good");
}
