// Answers whose body goes to a sink, piece by piece.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "tests/support/catch.hpp"

#include "tests/gateway/transport_fixture.hpp"
#include "tests/support/raw_socket.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using protocol::delivery;

namespace {

/// Sink that may be full, and that may have enough.
struct recording_sink final : protocol::http_body_sink {
  void begin() override {
    std::lock_guard guard{mutex};
    taken.clear();
    ++begun;
  }
  bool take(std::string_view bytes) override {
    std::lock_guard guard{mutex};
    taken += bytes;
    return taken.size() < enough;
  }
  [[nodiscard]] bool is_full() const noexcept override { return full; }
  std::string text() {
    std::lock_guard guard{mutex};
    return taken;
  }

  std::mutex mutex;
  std::string taken;
  int begun = 0;
  std::size_t enough = SIZE_MAX;
  std::atomic<bool> full{false};
};

struct streaming : transport_fixture {
  raw_listener executor;
  collected_results results{1};
  raw_socket peer;
  std::shared_ptr<recording_sink> sink = std::make_shared<recording_sink>();

  void begin(std::chrono::milliseconds request_timeout = 5s, std::chrono::milliseconds stream_timeout = 10s) {
    auto call = make_call(executor.origin(), "/log");
    call.sink = sink;
    call.request_timeout = request_timeout;
    call.stream_timeout = stream_timeout;
    call.reply_bytes_max = 64 * 1024 * 1024;
    post(results, make_calls(std::move(call)));
    peer = executor.accept();
    peer.read_message();
  }
};

} // namespace

TEST_CASE_METHOD(streaming, "a sink takes an answer that is larger than any buffer", "[gateway][streaming]") {
  begin();
  const std::string piece(100'000, 'x');
  peer.send("HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n");
  for (int i = 0; i < 30; ++i)
    peer.send(piece);
  const auto result = results.wait();
  CHECK(result.state == delivery::answered);
  CHECK(result.streamed);
  CHECK(result.body.size() == 16 * 1024);
  CHECK(sink->text() == std::string(3'000'000, 'x'));
  CHECK(sink->begun == 1);
}

TEST_CASE_METHOD(streaming, "a full sink stops the reading until it has room", "[gateway][streaming]") {
  sink->full = true;
  begin(5s);
  peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345");
  const auto until = std::chrono::steady_clock::now() + test_deadline;
  while (sink->text().empty() && std::chrono::steady_clock::now() < until)
    std::this_thread::yield();
  peer.send("67890");
  CHECK_FALSE(results.is_done());
  sink->full = false;
  CHECK(results.wait().state == delivery::answered);
  CHECK(sink->text() == "1234567890");
}

TEST_CASE_METHOD(streaming, "an answer that stops for too long ends its call, and the sink keeps what came",
                 "[gateway][streaming]") {
  begin(50ms);
  peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345");
  const auto result = results.wait();
  CHECK(result.state == delivery::unknown);
  CHECK(result.error == executor.address() + ": no reply within 50 ms");
  CHECK(sink->text() == "12345");
}

TEST_CASE_METHOD(streaming, "an answer without end is cut off at the limit of the whole call", "[gateway][streaming]") {
  sink->full = true;
  begin(5s, 100ms);
  peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345");
  const auto result = results.wait();
  CHECK(result.state == delivery::unknown);
  CHECK(result.error == executor.address() + ": the reply did not end within 100 ms");
}

TEST_CASE_METHOD(streaming, "a sink that has enough ends its call", "[gateway][streaming]") {
  sink->enough = 3;
  begin();
  peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345");
  CHECK(results.wait().state == delivery::unknown);
  CHECK(peer.is_closed());
}

// -- bodies of our own responses -------------------------------------------------------------------------------------------

namespace {

/// Source whose pieces come only at every other question.
struct slow_source final : protocol::http_body_source {
  explicit slow_source(std::string all) : text{std::move(all)}, size{text.size()} {}
  [[nodiscard]] std::optional<std::uint64_t> bytes() const noexcept override {
    return is_sized ? std::optional{size} : std::nullopt;
  }
  [[nodiscard]] state next(std::string& piece) override {
    if (fails_with > 0 && text.size() <= fails_with)
      return state::failed;
    if ((asked = !asked))
      return state::not_yet;
    if (text.empty())
      return state::ended;
    piece = text.substr(0, 100'000);
    text.erase(0, piece.size());
    return state::ready;
  }
  std::string text;
  std::uint64_t size;
  /// It fails with this many bytes left; 0: never.
  std::size_t fails_with = 0;
  bool is_sized = true;
  bool asked = false;
};

} // namespace

TEST_CASE_METHOD(transport_fixture, "a response may be made while it is sent", "[gateway][streaming]") {
  trigger.reply_bytes_max = 4 * 1024 * 1024;
  const std::string text(1'000'001, 'y');
  listen([&](protocol::http_request&& request, protocol::http_reply_ptr reply) {
    protocol::http_response response;
    auto source = std::make_shared<slow_source>(text);
    if (request.target == "/broken")
      source->fails_with = 500'000;
    response.source = std::move(source);
    reply->send(std::move(response));
  });
  auto asked = make_call("http://" + address, "/whole");
  asked.reply_bytes_max = 4 * 1024 * 1024;
  const auto whole = call(asked);
  CHECK(whole.state == delivery::answered);
  CHECK(whole.body == text);
  // The connection is used again.
  CHECK(call(asked).body == text);
  asked.target = "/broken";
  CHECK(call(asked).state == delivery::unknown);
}

TEST_CASE_METHOD(transport_fixture, "a response of unknown size is sent in chunks", "[gateway][streaming]") {
  const std::string text(1'000'001, 'z');
  listen([&](protocol::http_request&& request, protocol::http_reply_ptr reply) {
    protocol::http_response response;
    auto source = std::make_shared<slow_source>(text);
    source->is_sized = false;
    if (request.target == "/broken")
      source->fails_with = 500'000;
    response.source = std::move(source);
    reply->send(std::move(response));
  });
  auto peer = raw_socket::connect(address);
  for (int i = 0; i < 2; ++i) {
    peer.send("GET /whole HTTP/1.1\r\nHost: x\r\n\r\n");
    const auto whole = peer.read_message();
    CHECK(whole.head.find("Transfer-Encoding: chunked\r\n") != std::string::npos);
    CHECK(whole.head.find("Content-Length") == std::string::npos);
    CHECK(whole.body == text);
  }
  peer.send("HEAD /whole HTTP/1.1\r\nHost: x\r\n\r\nGET /broken HTTP/1.1\r\nHost: x\r\n\r\n");
  CHECK(peer.read_until("\r\n\r\n").find("HTTP/1.1 200 OK\r\n") == 0);
  CHECK(peer.read_until("\r\n\r\n").find("HTTP/1.1 200 OK\r\n") == 0);
  CHECK_FALSE(peer.read_to_end().ends_with("0\r\n\r\n"));

  // A client of HTTP/1.0 reads until the connection ends.
  auto former = raw_socket::connect(address);
  former.send("GET /whole HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const auto head = former.read_until("\r\n\r\n");
  CHECK(head.find("Connection: close\r\n") != std::string::npos);
  CHECK(head.find("Transfer-Encoding") == std::string::npos);
  CHECK(former.read_to_end() == text);
}
