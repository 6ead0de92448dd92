#include "tests/support/catch.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gateway/transport/client/reply_reader.hpp"

using ringmaster::gateway::http::reply_reader;
using state = reply_reader::state;

namespace {

struct outcome {
  state end = state::reading;
  unsigned status = 0;
  std::string body;
  bool keeps_alive = false;
  std::string rest;
};

/// Feeds `text` in pieces of the sizes that `next_size` returns, then optionally the end of the connection.
template <class NextSize>
outcome read_in_pieces(std::string_view text, bool closes, NextSize next_size, std::size_t body_max = 1000) {
  reply_reader reader;
  reader.reset(body_max);
  auto now = state::reading;
  while (!text.empty() && now == state::reading) {
    auto piece = text.substr(0, next_size());
    const auto size = piece.size();
    now = reader.feed(piece);
    text.remove_prefix(size - piece.size());
  }
  if (closes && now == state::reading)
    now = reader.end();
  CHECK((now == state::broken) == !reader.error().empty());
  return {now, reader.status(), reader.take_body(), now == state::complete && reader.keeps_alive(), std::string(text)};
}

outcome read_all(std::string_view text, bool closes = false, std::size_t body_max = 1000) {
  auto whole = read_in_pieces(text, closes, [&] { return text.size(); }, body_max);
  auto single = read_in_pieces(text, closes, [] { return 1u; }, body_max);
  CHECK(whole.end == single.end);
  CHECK(whole.status == single.status);
  if (whole.end == state::complete) {
    CHECK(whole.body == single.body);
    CHECK(whole.rest == single.rest);
    CHECK(whole.keeps_alive == single.keeps_alive);
  }
  return whole;
}

} // namespace

TEST_CASE("replies of real executors are parsed", "[gateway]") {
  SECTION("Java: lower-case names, HTML as content type") {
    auto got = read_all(
      "HTTP/1.1 200 OK\r\ncontent-type: text/html;charset=UTF-8\r\ncontent-length: 12\r\nconnection: "
      "keep-alive\r\n\r\n{\"code\":200}");
    CHECK(got.end == state::complete);
    CHECK(got.status == 200);
    CHECK(got.body == "{\"code\":200}");
    CHECK(got.keeps_alive);
  }
  SECTION("Go: bare LF and a doubled status") {
    auto got = read_all("HTTP/1.1 200 200 OK\nContent-Length: 2\n\n{}");
    CHECK(got.end == state::complete);
    CHECK(got.status == 200);
    CHECK(got.body == "{}");
    CHECK(got.keeps_alive);
  }
  SECTION("no reason phrase, mixed line ends, spaces") {
    auto got = read_all("HTTP/1.1  402\r\nContent-Length :  2  \nX\r\n folded: 1\r\n\n{}");
    CHECK(got.end == state::complete);
    CHECK(got.status == 402);
    CHECK(got.body == "{}");
  }
  SECTION("an empty reply") {
    auto got = read_all("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    CHECK(got.end == state::complete);
    CHECK(got.body.empty());
    CHECK(got.keeps_alive);
  }
  SECTION("no length, closed after it") {
    auto got = read_all("HTTP/1.0 200 OK\r\n\r\n{\"code\":200}", true);
    CHECK(got.end == state::complete);
    CHECK(got.body == "{\"code\":200}");
    CHECK_FALSE(got.keeps_alive);
  }
  SECTION("interim replies") {
    auto got = read_all(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\nLink: x\nContent-Length: 7\n\nHTTP/1.1 200 OK\r\nContent-Length: "
      "2\r\n\r\n{}");
    CHECK(got.end == state::complete);
    CHECK(got.body == "{}");
    CHECK(got.keeps_alive);
  }
  SECTION("chunks with extensions and trailers") {
    auto got =
      read_all("HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n3;a=b\r\nabc\r\nA \n0123456789\n0\r\nX: y\r\n\r\nHTTP");
    CHECK(got.end == state::complete);
    CHECK(got.body == "abc0123456789");
    CHECK(got.keeps_alive);
    CHECK(got.rest == "HTTP");
  }
  SECTION("no content") {
    auto got = read_all("HTTP/1.1 204 No Content\r\n\r\n");
    CHECK(got.end == state::complete);
    CHECK(got.keeps_alive);
  }
  SECTION("a line end before the status line") {
    CHECK(read_all("\r\n\nHTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx").end == state::complete);
  }
}

TEST_CASE("the reader detects whether a connection can be used again", "[gateway]") {
  auto keeps = [](std::string_view head) { return read_all(std::string(head) + "Content-Length: 1\r\n\r\nx").keeps_alive; };
  CHECK(keeps("HTTP/1.1 200 OK\r\n"));
  CHECK_FALSE(keeps("HTTP/1.1 200 OK\r\nConnection: foo, Close\r\n"));
  CHECK_FALSE(keeps("HTTP/1.0 200 OK\r\n"));
  CHECK(keeps("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n"));
  CHECK_FALSE(keeps("HTTP/1.1 200 OK\r\nConnection: close\r\nX: 1\r\n"));
  CHECK_FALSE(
    read_all("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n").keeps_alive);
}

TEST_CASE("the reader takes the keep-alive time from the reply", "[gateway]") {
  auto keeps = [](std::string_view head) {
    reply_reader reader;
    reader.reset(10);
    auto text = "HTTP/1.1 200 OK\r\n" + std::string(head) + "Content-Length: 0\r\n\r\n";
    std::string_view bytes = text;
    REQUIRE(reader.feed(bytes) == state::complete);
    return reader.keeps_for().count();
  };
  CHECK(keeps("") == 86400);
  CHECK(keeps("keep-alive: timeout=5\r\n") == 5);
  CHECK(keeps("Keep-Alive: max=100, Timeout=60\r\n") == 60);
  CHECK(keeps("Keep-Alive: timeout=0\r\n") == 0);
  CHECK(keeps("Keep-Alive: timeout=x, timeout, =\r\n") == 86400);
  CHECK(keeps("Keep-Alive: timeout=99999999999999\r\n") == 86400);
}

TEST_CASE("malformed replies are broken", "[gateway]") {
  auto text = GENERATE(
    "hello\r\n", "HTTP/1.1\r\n", "HTTP/1.1 \r\n", "HTTP/1.1 20\r\n", "HTTP/1.1 2000 OK\r\n", "HTTP/1.1 abc\r\n",
    "HTTP/1.1 000 x\r\n", "HTTP/1.1 101 Switching Protocols\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: \r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1x\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3E9\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n");
  CAPTURE(text);
  CHECK(read_all(text).end == state::broken);
}

TEST_CASE("a connection that ends too early breaks the reply", "[gateway]") {
  std::string_view text = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc";
  for (std::size_t n = 0; n < text.size(); ++n) {
    CAPTURE(n);
    CHECK(read_all(text.substr(0, n), true).end == state::broken);
  }
  CHECK(read_all("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", true).end == state::broken);
  CHECK(read_all("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", true).end == state::broken);
}

TEST_CASE("limits hold however the reply is framed", "[gateway]") {
  std::string large(1001, 'x');
  CHECK(read_all("HTTP/1.1 200 OK\r\n\r\n" + large).end == state::broken);
  CHECK(read_all("HTTP/1.1 200 OK\r\n\r\n" + large.substr(1), true).end == state::complete);
  std::string chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 1000; ++i)
    chunks += "1\r\nx\r\n";
  CHECK(read_all(chunks + "0\r\n\r\n").end == state::complete);
  CHECK(read_all(chunks + "1\r\n").end == state::broken);

  std::string header = "HTTP/1.1 200 OK\r\n";
  SECTION("one endless line") { header += "X: " + std::string(reply_reader::head_bytes_max, 'x'); }
  SECTION("endless lines") {
    for (int i = 0; i < 10000; ++i)
      header += "X: yyy\r\n";
  }
  SECTION("endless interim replies") {
    header.clear();
    for (int i = 0; i < 4000; ++i)
      header += "HTTP/1.1 100 x\r\n\r\n";
  }
  SECTION("endless blank lines") { header = std::string(2 * reply_reader::head_bytes_max, '\n'); }
  SECTION("endless trailers") {
    header += "Transfer-Encoding: chunked\r\n\r\n0\r\n";
    for (int i = 0; i < 10000; ++i)
      header += "X: yyy\r\n";
  }
  CHECK(read_all(header).end == state::broken);
}

TEST_CASE("random bytes and random pieces do not confuse the reader", "[gateway]") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random{seed};
  auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>{0, n - 1}(random); };
  const std::vector<std::string> samples{
    "HTTP/1.1 200 200 OK\nContent-Length: 5\n\nhello",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x\r\n world\r\n0\r\nA: b\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 500\r\nConnection: close\r\nContent-Length: 3\r\n\r\nbad",
  };
  for (int round = 0; round < 3000; ++round) {
    auto text = samples[below(samples.size())];
    for (auto changes = below(4); changes > 0; --changes)
      text[below(text.size())] = static_cast<char>(below(256));
    auto whole = read_in_pieces(text, true, [&] { return text.size(); }, 64);
    auto pieces = read_in_pieces(text, true, [&] { return 1 + below(9); }, 64);
    CAPTURE(text);
    REQUIRE(whole.end != state::reading);
    REQUIRE(whole.end == pieces.end);
    REQUIRE(whole.status == pieces.status);
    if (whole.end == state::complete)
      REQUIRE(whole.body == pieces.body);
    REQUIRE(whole.body.size() <= 64);
  }
}

TEST_CASE("a sink takes the body of a reply, and the reader keeps its beginning", "[gateway]") {
  struct sink final : ringmaster::protocol::http_body_sink {
    void begin() override {}
    bool take(std::string_view bytes) override {
      taken += bytes;
      return taken.size() < enough;
    }
    [[nodiscard]] bool is_full() const noexcept override { return false; }
    std::string taken;
    std::size_t enough = SIZE_MAX;
  };
  const std::string body(50'000, 'x');
  const auto text = "HTTP/1.1 200 OK\r\nContent-Length: 50000\r\n\r\n" + body;
  const auto read = [&](sink& to, std::size_t most) {
    reply_reader reader;
    reader.reset(most, &to);
    auto now = state::reading;
    for (std::string_view rest = text; !rest.empty() && now == state::reading;) {
      auto piece = rest.substr(0, 777);
      rest.remove_prefix(piece.size());
      now = reader.feed(piece);
    }
    return std::pair{now, reader.take_body().size()};
  };
  sink all;
  CHECK(read(all, 50'000) == std::pair{state::complete, reply_reader::sunk_bytes_kept});
  CHECK(all.taken == body);
  sink limited;
  CHECK(read(limited, 49'999).first == state::broken);
  CHECK(limited.taken.empty());
  sink satisfied;
  satisfied.enough = 1000;
  CHECK(read(satisfied, 50'000).first == state::broken);
  CHECK(satisfied.taken.size() < 2000);
}
