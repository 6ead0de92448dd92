#include "executor/http_handler.hpp"

#include "tests/executor/silent_log.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using executor::make_http_handler;

namespace {

/// Returns the message of a run with this parameter, when no server listens at the permitted address.
std::string message_of(const std::string& param) {
  const auto made = make_http_handler({.allowed = {"http://127.0.0.1:1/"}, .timeout = 5s});
  REQUIRE(made);
  core::trigger_request request;
  request.param = param;
  test::silent_log log;
  const executor::job_context::stop_reason_source why = [] { return std::string{}; };
  executor::job_context context{request, log, {}, why};
  made->as_function()(context);
  CHECK(context.outcome().code == 500);
  return context.outcome().message.value_or("");
}

} // namespace

TEST_CASE("http handler: rejects time limits out of range", "[executor]") {
  for (const auto* limit : {"0", "-1", "-9223372036854775808", "5001", "9223372036854775807"}) {
    CAPTURE(limit);
    CHECK(message_of(std::string{"url=http://127.0.0.1:1/ timeout_ms="} + limit) == "timeout_ms must be from 1 to 5000");
  }
  CHECK(message_of("url=http://127.0.0.1:1/ timeout_ms=1s") == "\"1s\" is not a whole number of 64 bits");
  CHECK(message_of("url=http://127.0.0.1:1/ timeout_ms=99999999999999999999").ends_with("is not a whole number of 64 bits"));
  for (const auto* limit : {"timeout_ms=5000", "timeout_ms=1", ""}) {
    CAPTURE(limit);
    CHECK(message_of(std::string{"url=http://127.0.0.1:1/ "} + limit).find("timeout_ms") == std::string::npos);
  }
}

TEST_CASE("http handler: reports invalid parameters", "[executor]") {
  CHECK(message_of("") == "the parameter lacks url=…");
  CHECK(message_of("url=http://127.0.0.1:1/ method=get") == "the method must consist of capital letters");
  CHECK(message_of("url=http://127.0.0.1:2/") ==
        "\"http://127.0.0.1:2/\" is not among the addresses that this executor may call");
}

TEST_CASE("http handler: options", "[executor]") {
  CHECK(make_http_handler({.allowed = {}}));
  CHECK_FALSE(make_http_handler({.allowed = {"http://h/x"}}));
  CHECK_FALSE(make_http_handler({.allowed = {}, .timeout = 0ms}));
  CHECK_FALSE(make_http_handler({.allowed = {}, .timeout = std::chrono::hours{25}}));
}
