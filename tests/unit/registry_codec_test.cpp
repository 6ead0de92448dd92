#include "protocol/wire/executor/registry_codec.hpp"

#include <string>

#include "core/text/text.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using protocol::wire::parse_registry;

namespace {

const std::string valid = R"({"registryGroup":"EXECUTOR","registryKey":"app-1","registryValue":"http://127.0.0.1:7001/"})";

std::string registry_refusal(std::string_view body) {
  auto parsed = parse_registry(body);
  if (parsed)
    return "accepted";
  CHECK(parsed.error().code == core::errc::invalid_argument);
  return parsed.error().context;
}

std::string body_of(const std::string& group, const std::string& key, const std::string& value) {
  return R"({"registryGroup":")" + group + R"(","registryKey":")" + key + R"(","registryValue":")" + value + "\"}";
}

std::string repeated(std::string_view piece, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i)
    out += piece;
  return out;
}

} // namespace

TEST_CASE("registry: the spellings that Java admins accept", "[wire]") {
  for (
      const std::string& body : {
          valid,
          std::string{
              R"({"registryGroup":"EXECUTOR","registryKey":"app-1","registryValue":"http://127.0.0.1:7001/","zone":"b"})"},
          std::string{R"({registryGroup:"EXECUTOR",registryKey:'app-1','registryValue':"http://127.0.0.1:7001/"})"},
          std::string{R"({registryGroup:EXECUTOR,registryKey:app-1,registryValue:"http://127.0.0.1:7001/"})"},
          "\xEF\xBB\xBF\n " + valid + "\r\n",
          std::string{
              R"({"zone":{"a":[1,{"b":null}]},"registryValue":"http:\/\/127.0.0.1:7001\u002f",)"
              R"("registryGroup":"EXECUTOR","registryKey":"app-1"})"},
          std::string{
              R"({"registryKey":"other","registryGroup":"EXECUTOR","registryKey":"app-1",)"
              R"("registryValue":"http://127.0.0.1:7001/"})"},
      }) {
    CAPTURE(body);
    auto parsed = parse_registry(body);
    REQUIRE(parsed);
    CHECK(parsed->registry_group == "EXECUTOR");
    CHECK(parsed->registry_key == "app-1");
    CHECK(parsed->registry_value == "http://127.0.0.1:7001/");
  }
}

TEST_CASE("registry: a number is stored as its text", "[wire]") {
  auto parsed = parse_registry(R"({"registryGroup":"EXECUTOR","registryKey":12.50,"registryValue":true})");
  REQUIRE(parsed);
  CHECK(parsed->registry_key == "12.50");
  CHECK(parsed->registry_value == "true");
}

TEST_CASE("registry: a blank or missing field", "[wire]") {
  CHECK(registry_refusal(body_of("EXECUTOR", "app-1", " ")) == "Illegal Argument.");
  CHECK(registry_refusal(body_of("", "app-1", "http://a")) == "Illegal Argument.");
  CHECK(registry_refusal(body_of("EXECUTOR", "\\t\\n", "http://a")) == "Illegal Argument.");
  CHECK(registry_refusal(R"({"registryGroup":"EXECUTOR","registryValue":"http://a"})") == "Illegal Argument.");
  CHECK(registry_refusal(R"({"registryGroup":"EXECUTOR","registryKey":null,"registryValue":"http://a"})") == "Illegal Argument.");
  CHECK(registry_refusal("{}") == "Illegal Argument.");
}

TEST_CASE("registry: an empty body", "[wire]") {
  CHECK(registry_refusal("") == "invalid request, requestBody empty.");
  CHECK(registry_refusal(" \r\n\t") == "invalid request, requestBody empty.");
}

TEST_CASE("registry: malformed, null, another type", "[wire]") {
  const std::string nested = R"({"registryGroup":"EXECUTOR","registryKey":{"a":1},"registryValue":"http://a"})";
  for (const std::string& body :
       {std::string{R"({"registryGroup":)"}, std::string{"[]"}, std::string{"null"}, std::string{"7"}, std::string{"\"x\""},
        std::string{"registryGroup=EXECUTOR&registryKey=a"}, valid + "}", valid + valid, nested, std::string(200000, '{')}) {
    CAPTURE(body.substr(0, 80));
    CHECK(registry_refusal(body).rfind("openapi invoke error: ", 0) == 0);
    CHECK(registry_refusal(body).size() < 100);
  }
}

TEST_CASE("registry: a body truncated at any byte is refused", "[wire]") {
  for (std::size_t n = 0; n < valid.size(); ++n)
    CHECK(registry_refusal(std::string_view{valid}.substr(0, n)) != "accepted");
}

TEST_CASE("registry: values fit their columns, counted in characters", "[wire]") {
  CHECK(registry_refusal(body_of(std::string(50, 'g'), repeated("中", 255), std::string(255, 'v'))) == "accepted");
  CHECK(registry_refusal(body_of(std::string(51, 'g'), "k", "v")) == "registryGroup is longer than 50 characters.");
  CHECK(registry_refusal(body_of("g", repeated("中", 256), "v")) == "registryKey is longer than 255 characters.");
  CHECK(registry_refusal(body_of("g", "k", std::string(1000000, 'v'))) == "registryValue is longer than 255 characters.");
}

TEST_CASE("registry: bytes that no column can hold are replaced", "[wire]") {
  auto parsed =
      parse_registry(std::string_view{"{\"registryGroup\":\"E\",\"registryKey\":\"a\\u0000b\",\"registryValue\":\"\xFF\xC3(\"}"});
  REQUIRE(parsed);
  CHECK(parsed->registry_key == "ab");
  CHECK(parsed->registry_value == core::valid_utf8("\xFF\xC3("));
}

TEST_CASE("registry: characters that would break a log line or an address list are refused", "[wire]") {
  for (const char* bad : {"a\\nb", "\\r\\na", "a\\u001b[31m", "a\\u007f", "\ta"}) {
    CAPTURE(bad);
    CHECK(registry_refusal(body_of("EXECUTOR", "app-1", bad)) == "registryValue holds a control character.");
    CHECK(registry_refusal(body_of("EXECUTOR", bad, "http://a")) == "registryKey holds a control character.");
    CHECK(registry_refusal(body_of(bad, "app-1", "http://a")) == "registryGroup holds a control character.");
  }
  CHECK(registry_refusal(body_of("EXECUTOR", "app-1", "http://a:1/,http://b:1/")) == "registryValue holds a comma.");
  CHECK(registry_refusal(body_of("EXECUTOR", "app-1", "http://a:1/\\u002c")) == "registryValue holds a comma.");
  CHECK(registry_refusal(body_of("EXECUTOR", "app,1", "http://a:1/")) == "accepted");
}
