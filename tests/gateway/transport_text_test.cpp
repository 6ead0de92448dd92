#include <memory>
#include <optional>
#include <string>

#include "tests/support/catch.hpp"

#include "gateway/transport/io/reply_text.hpp"
#include "protocol/http.hpp"

using namespace ringmaster;
using namespace ringmaster::gateway;
using protocol::split_address;

TEST_CASE("addresses split into origin and prefix", "[gateway]") {
  struct row {
    const char* address;
    const char* origin;
    const char* prefix;
  };
  auto given = GENERATE(row{"127.0.0.1:7002", "http://127.0.0.1:7002", ""},                // XXL wire §2.1
                        row{"http://127.0.0.1:7003/job", "http://127.0.0.1:7003", "/job"}, // with its own path
                        row{"http://h:80/job/", "http://h:80", "/job"}, row{"http://h:80/", "http://h:80", ""},
                        row{"h:80/php-xxl-job//", "http://h:80", "/php-xxl-job"}, row{"HTTP://H:80", "http://H:80", ""},
                        row{" http://h:1/a \r\n", "http://h:1", "/a"}, row{"https://h/x", "https://h", "/x"},
                        row{"http://[::1]:9999/", "http://[::1]:9999", ""}, row{"http://h:1?q=1", "http://h:1", "?q=1"},
                        row{"", "http://", ""}, row{"   ", "http://", ""}, row{"://", "://", ""},
                        row{"not an url", "http://not an url", ""});
  CAPTURE(given.address);
  auto parts = split_address(given.address);
  CHECK(parts.origin == given.origin);
  CHECK(parts.prefix == given.prefix);
}

TEST_CASE("headers are found without case, and the first one wins", "[gateway]") {
  protocol::http_request request;
  request.headers = {{"X-a", "1"}, {"XXL-JOB-ACCESS-TOKEN", "tk"}, {"x-A", "2"}};
  REQUIRE(request.find_header("xxl-job-access-token"));
  CHECK(*request.find_header("Xxl-Job-Access-Token") == "tk");
  CHECK(*request.find_header("X-A") == "1");
  CHECK(request.find_header("X-") == nullptr);
  CHECK(request.find_header("X-ab") == nullptr);
}

TEST_CASE("a gate opens and closes by the boot clock", "[gateway]") {
  auto now = protocol::boottime_ns();
  CHECK(now > 0);
  CHECK(protocol::boottime_ns() >= now);
  protocol::send_gate gate;
  CHECK_FALSE(gate.open_at(1, now));
  gate.open_until(1, now + 1);
  CHECK(gate.open_at(1, now));
  CHECK_FALSE(gate.open_at(1, now + 1));
  CHECK_FALSE(gate.open_at(2, now));
  gate.open_until(2, now + 1);
  CHECK_FALSE(gate.open_at(1, now));
  CHECK(gate.open_at(2, now));
  gate.close();
  CHECK_FALSE(gate.open_at(2, now));
}

TEST_CASE("a request is written as XXL's executors require", "[gateway]") {
  protocol::http_call call;
  call.target = "/run";
  call.headers = {{"XXL-JOB-ACCESS-TOKEN", "tk-1"}, {"XXL-JOB-APPNAME", "app-1"}};
  call.body = "{\"jobId\":1}";
  std::string text = "before";
  http::append_request(text, "127.0.0.1:9999", call);
  CHECK(text == "beforePOST /run HTTP/1.1\r\nHost: 127.0.0.1:9999\r\nContent-Type: application/json;charset=UTF-8\r\n"
                "XXL-JOB-ACCESS-TOKEN: tk-1\r\nXXL-JOB-APPNAME: app-1\r\nContent-Length: 11\r\n\r\n{\"jobId\":1}");
}

TEST_CASE("an invalid request is refused before it is written", "[gateway]") {
  protocol::http_call call;
  call.target = "/job/run";
  CHECK(http::request_defect(call).empty());
  auto target = GENERATE("", "run", "/a b", "/a\r\nX: 1", "/a\x7f", "/\xc3\xa4", "?x/run");
  call.target = target;
  CHECK_FALSE(http::request_defect(call).empty());
}

TEST_CASE("a header that would split the request is refused", "[gateway]") {
  protocol::http_call call;
  call.target = "/run";
  call.headers = {{"XXL-JOB-ACCESS-TOKEN", "t\xc3\xb6ken with blanks"}};
  CHECK(http::request_defect(call).empty());
  using entry = std::pair<std::string, std::string>;
  auto header = GENERATE(entry{"A", "b\r\nC: d"}, entry{"A", "b\nC: d"}, entry{"A", std::string("b\0c", 3)}, entry{"", "b"},
                         entry{"A b", "c"}, entry{"A:", "c"}, entry{"Content-Length", "3"}, entry{"transfer-encoding", "chunked"},
                         entry{"Host", "x"});
  call.headers = {header};
  CHECK_FALSE(http::request_defect(call).empty());
}

TEST_CASE("a reply head frames its body", "[gateway]") {
  protocol::http_response response;
  response.body = "{}";
  std::string text;
  SECTION("kept alive, with the time that Java clients keep the connection") {
    http::append_reply_head(text, response, {true, false, 90});
    CHECK(text == "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nKeep-Alive: timeout=90\r\nContent-Type: application/json\r\n"
                  "Content-Length: 2\r\n\r\n");
  }
  SECTION("closed") {
    response.status = 404;
    http::append_reply_head(text, response, {false, false, 90});
    CHECK(text == "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n");
  }
  SECTION("an unknown status and no content") {
    response.status = 299;
    response.content_type.clear();
    response.body.clear();
    http::append_reply_head(text, response, {true, false, 0});
    CHECK(text == "HTTP/1.1 299 Status\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n");
    text.clear();
    response.status = 204;
    http::append_reply_head(text, response, {true, false, 0});
    CHECK(text == "HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\n\r\n");
  }
  SECTION("headers that would split or reframe it are left out") {
    response.headers = {
      {"Location", "/a\r\nSet-Cookie: evil=1"}, {"Content-Length", "99"}, {"Set-Cookie", "a=b"}, {"Bad name", "1"}};
    http::append_reply_head(text, response, {true, false, 0});
    CHECK(text ==
          "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Type: application/json\r\nSet-Cookie: a=b\r\nContent-Length: "
          "2\r\n\r\n");
  }
  SECTION("a body of unknown size") {
    struct endless final : protocol::http_body_source {
      [[nodiscard]] std::optional<std::uint64_t> bytes() const noexcept override { return std::nullopt; }
      [[nodiscard]] state next(std::string&) override { return state::ended; }
    };
    response.source = std::make_shared<endless>();
    http::append_reply_head(text, response, {true, false, 0, true});
    CHECK(text == "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Type: application/json\r\n"
                  "Transfer-Encoding: chunked\r\n\r\n");
    text.clear();
    http::append_reply_head(text, response, {false, false, 0, false});
    CHECK(text == "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/json\r\n\r\n");
  }
}
