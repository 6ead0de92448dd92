// GET /api/v1/runs/{id}/log/file as gzip, and the compression of bodies while they are sent.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/exchange/gzip.hpp"
#include "tests/support/catch.hpp"

#include "tests/gateway/api_fixture.hpp"

using namespace ringmaster;
using test::api_fixture;
using test::raw_socket;

namespace {

using source_state = protocol::http_body_source::state;

/// Source of a text in pieces, that has nothing at every third question.
struct uneven_source final : protocol::http_body_source {
  explicit uneven_source(std::string all) : text{std::move(all)} {}
  [[nodiscard]] std::optional<std::uint64_t> bytes() const noexcept override { return text.size(); }
  [[nodiscard]] state next(std::string& piece) override {
    if (at >= fails_at)
      return state::failed;
    if (++asked % 3 == 0)
      return state::not_yet;
    piece = text.substr(at, 1 + asked * 7'919 % 130'000);
    at += piece.size();
    return state::ready;
  }
  const std::string text;
  std::size_t at = 0;
  std::size_t asked = 0;
  std::size_t fails_at = SIZE_MAX;
};

/// Reads a source to its end. Empty: it failed.
std::string whole_of(protocol::http_body_source& source) {
  std::string all;
  std::string piece;
  for (int asked = 0; asked < 100'000; ++asked) {
    const auto made = source.next(piece);
    if (made == source_state::ended)
      return all;
    if (made == source_state::failed)
      return {};
    if (made == source_state::not_yet)
      continue;
    CHECK_FALSE(piece.empty());
    CHECK(piece.size() <= 256 * 1024);
    all += piece;
  }
  return {};
}

/// Returns lines that compress well, or bytes that do not.
std::string log_text(std::size_t bytes, bool is_noise) {
  std::string text;
  std::uint32_t state = 1;
  while (text.size() < bytes) {
    state = state * 1'664'525 + 1'013'904'223;
    if (is_noise)
      text += static_cast<char>(state >> 24);
    else
      text += "2026-11-27 02:34:45 [job-7] order " + std::to_string(state % 1000) + " was paid\n";
  }
  text.resize(bytes);
  return text;
}

} // namespace

TEST_CASE("a body is compressed while it is sent", "[gateway][logs]") {
  for (const bool is_noise : {false, true}) {
    for (const std::size_t bytes : {1, 32 * 1024, 3'000'000}) {
      CAPTURE(is_noise, bytes);
      const auto plain = log_text(bytes, is_noise);
      const auto source = gateway::compressed(std::make_shared<uneven_source>(plain));
      REQUIRE(source);
      CHECK_FALSE(source->bytes());
      const auto packed = whole_of(*source);
      CHECK(gateway::decompressed(packed) == plain);
      if (!is_noise && bytes > 1'000'000)
        CHECK(packed.size() < bytes / 4);
    }
  }
}

TEST_CASE("a compressed body fails with its source, and never ends early", "[gateway][logs]") {
  auto broken = std::make_shared<uneven_source>(log_text(500'000, false));
  broken->fails_at = 200'000;
  CHECK(whole_of(*gateway::compressed(broken)).empty());
}

TEST_CASE_METHOD(api_fixture, "api: a log is sent as gzip to a client that takes it", "[gateway][api][logs]") {
  open();
  const auto get = [&](const std::string& headers) { return call("GET", "/runs/72/log/file", {}, "admin", headers); };
  const auto plain = get({});
  REQUIRE(plain.status() == 200);
  CHECK(plain.head.find("Vary: Accept-Encoding\r\n") != std::string::npos);
  CHECK(plain.head.find("Content-Encoding") == std::string::npos);
  const auto packed = get("Accept-Encoding: gzip, br\r\n");
  CHECK(packed.status() == 200);
  CHECK(packed.head.find("Content-Encoding: gzip\r\n") != std::string::npos);
  CHECK(packed.head.find("Transfer-Encoding: chunked\r\n") != std::string::npos);
  CHECK(packed.head.find("Content-Length") == std::string::npos);
  CHECK(packed.head.find("Accept-Ranges") == std::string::npos);
  CHECK(packed.head.find("Vary: Accept-Encoding\r\n") != std::string::npos);
  CHECK(packed.head.find("Content-Type: text/plain; charset=utf-8\r\n") != std::string::npos);
  CHECK(packed.body.size() < plain.body.size() / 4);
  CHECK(gateway::decompressed(packed.body) == plain.body);
  CHECK(get("Accept-Encoding: gzip;q=0\r\n").body == plain.body);
}

TEST_CASE("a body keeps its turn until it is compressed or given up", "[gateway][logs]") {
  gateway::gzip_turns turns{2};
  const auto make = [&]() -> std::shared_ptr<protocol::http_body_source> {
    auto turn = turns.take();
    return turn ? gateway::compressed(std::make_shared<uneven_source>("text"), std::move(turn)) : nullptr;
  };
  auto first = make();
  const auto second = make();
  REQUIRE((first && second));
  CHECK_FALSE(make());
  first.reset();
  CHECK(make());
  CHECK(make());
}

TEST_CASE("the turn of a body ends with its compression, not with its last reader", "[gateway][logs]") {
  gateway::gzip_turns turns{1};
  const auto body = gateway::compressed(std::make_shared<uneven_source>(std::string(100'000, 'x')), turns.take());
  REQUIRE(body);
  std::string piece;
  std::size_t asked = 0;
  // The source itself does not tell its end before the next question, which a slow client delays.
  while (!turns.take() && ++asked < 1000)
    REQUIRE(body->next(piece) != source_state::failed);
  REQUIRE(asked < 1000);
  CHECK_FALSE(piece.empty());
  CHECK(body->next(piece) == source_state::ended);
}

TEST_CASE("a slow client loses its turn to another one, and its body stays whole", "[gateway][logs]") {
  auto time = gateway::gzip_turns::clock::time_point{};
  gateway::gzip_turns turns{1, [&time] { return time; }};
  std::string all;
  for (int line = 0; all.size() < 2'000'000; ++line)
    all += "line " + std::to_string(line * 7'919 % 100'003) + " of a log that is long enough\n";
  const auto slow = gateway::compressed(std::make_shared<uneven_source>(all), turns.take());
  REQUIRE(slow);
  std::string packed;
  std::string piece;
  const auto read = [&](std::size_t until) {
    while (packed.size() < until)
      if (const auto made = slow->next(piece); made == source_state::ready)
        packed += piece;
      else if (made != source_state::not_yet)
        return made;
    return source_state::ready;
  };
  REQUIRE(read(10'000) == source_state::ready);
  time += std::chrono::milliseconds{gateway::gzip_turns::slow_after} / 2;
  CHECK_FALSE(turns.take());
  time += std::chrono::milliseconds{gateway::gzip_turns::slow_after} / 2;
  auto other = turns.take();
  REQUIRE(other);
  // While the other one is fast, the rest of the slow body is not compressed.
  const auto before = packed.size();
  REQUIRE(read(before + 200'000) == source_state::ready);
  CHECK_FALSE(turns.take());
  CHECK(other->use());
  other.reset();
  CHECK(read(SIZE_MAX) == source_state::ended);
  CHECK(packed.size() < all.size() / 2);
  CHECK(gateway::decompressed(packed) == all);
  CHECK(turns.take());
}

TEST_CASE_METHOD(api_fixture, "api: while many logs are compressed, another one is sent plain", "[gateway][api][logs]") {
  open();
  const auto plain = call("GET", "/runs/72/log/file").body;
  std::vector<raw_socket> others;
  for (std::size_t i = 0; i < gateway::gzip_turns::turns_max; ++i) {
    others.push_back(raw_socket::connect(address));
    others.back().send(text("GET", "/api/v1/runs/73/log/file", {}, cookie_3("admin") + "Accept-Encoding: gzip\r\n"));
    CHECK(others.back().read_until("\r\n\r\n").find("Content-Encoding: gzip\r\n") != std::string::npos);
  }
  const auto get = [&](const std::string& more) {
    return call("GET", "/runs/72/log/file", {}, "admin", "Accept-Encoding: gzip\r\n" + more);
  };
  const auto reply = get({});
  CHECK(reply.status() == 200);
  CHECK(reply.body == plain);
  CHECK(reply.head.find("Content-Encoding") == std::string::npos);
  CHECK(reply.head.find("-gzip\"") == std::string::npos);
  CHECK(reply.head.find("Vary: Accept-Encoding\r\n") != std::string::npos);
  // A client that has the compressed bytes needs no others.
  CHECK(get("If-None-Match: \"run-72-" + std::to_string(plain.size()) + "-end-gzip\"\r\n").status() == 304);
}

TEST_CASE_METHOD(api_fixture, "api: the ETag of a log names its encoding, and a part is never compressed",
                 "[gateway][api][logs]") {
  open();
  const auto get = [&](const std::string& headers) { return call("GET", "/runs/70/log/file", {}, "admin", headers); };
  const std::string gzip = "Accept-Encoding: gzip\r\n";
  CHECK(get(gzip).head.find("ETag: \"run-70-18-end-gzip\"\r\n") != std::string::npos);
  const auto known = get(gzip + "If-None-Match: \"run-70-18-end-gzip\"\r\n");
  CHECK(known.status() == 304);
  CHECK(known.head.find("Vary: Accept-Encoding\r\n") != std::string::npos);
  CHECK(get(gzip + "If-None-Match: \"run-70-18-end\"\r\n").status() == 200);
  CHECK(get("If-None-Match: \"run-70-18-end-gzip\"\r\n").status() == 200);
  const auto part = get(gzip + "Range: bytes=4-6\r\n");
  CHECK((part.status() == 206 && part.body == "<i>"));
  CHECK(part.head.find("Content-Encoding") == std::string::npos);
  CHECK(part.head.find("ETag: \"run-70-18-end\"\r\n") != std::string::npos);
  // A download that began as gzip cannot be continued with plain bytes.
  CHECK(get(gzip + "Range: bytes=4-6\r\nIf-Range: \"run-70-18-end-gzip\"\r\n").body == "one <i>\n<br>three\n");
  CHECK(get(gzip + "Range: bytes=18-\r\n").status() == 416);
  const auto empty = call("GET", "/runs/71/log/file", {}, "admin", gzip);
  CHECK((empty.status() == 200 && empty.body.empty()));
  CHECK(empty.head.find("Content-Encoding") == std::string::npos);
}

TEST_CASE_METHOD(api_fixture, "api: the merged log of a broadcast is a file", "[gateway][api][logs]") {
  open();
  const auto merged = call("GET", "/runs/70/log/file?merged=true", {}, "viewer");
  CHECK(merged.status() == 200);
  CHECK(merged.head.find("ETag: \"run-70-merged-4711-end\"\r\n") != std::string::npos);
  CHECK(merged.head.find("filename=\"run-70-merged.log\"\r\n") != std::string::npos);
  CHECK(call("GET", "/runs/70/log/file?merged=false").head.find("ETag: \"run-70-18-end\"\r\n") != std::string::npos);
  CHECK(script->take_asked() ==
        std::vector<std::string>{"merged_file_query(70) by vera@127.0.0.1", "run_file_query(70) by admin@127.0.0.1"});
  CHECK(call("GET", "/runs/70/log/file?merged=1").status() == 400);
  CHECK(call("GET", "/runs/70/log/file?tail=3").status() == 400);
  CHECK(script->take_asked().empty());
}
