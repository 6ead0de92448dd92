#include "protocol/wire/executor/callback_codec.hpp"

#include <random>
#include <string>

#include "core/text/text.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::string_view_literals;
using protocol::wire::parse_callbacks;

namespace {

core::callback only(std::string_view body) {
  auto parsed = parse_callbacks(body);
  REQUIRE(parsed);
  REQUIRE(parsed->items.size() == 1);
  CHECK(parsed->skipped == 0);
  CHECK(parsed->items[0].spec == nullptr);
  return parsed->items[0];
}

void check(std::string_view body, std::int64_t id, std::int32_t code, std::string_view message) {
  CAPTURE(body);
  const auto item = only(body);
  CHECK(core::number(item.id) == id);
  CHECK(item.code == code);
  CHECK(item.message == message);
}

std::string callback_refusal(std::string_view body) {
  auto parsed = parse_callbacks(body);
  if (parsed)
    return "accepted";
  CHECK(parsed.error().code == core::errc::invalid_argument);
  return parsed.error().context;
}

} // namespace

TEST_CASE("callbacks: only a date that can be an echo of the request is used", "[wire]") {
  const auto said = [](const char* date) {
    return core::to_ms(only(std::string{R"([{"logId":1,"handleCode":200,)"} + date + "}]").log_time);
  };
  CHECK(said(R"("logDateTim":1700000000000)") == 1700000000000);
  CHECK(said(R"("logDateTime":"1700000000000")") == 1700000000000);
  for (const char* nothing : {R"("logDateTim":1700000000123)", R"("logDateTim":0)", R"("logDateTim":1)",
                              R"("logDateTim":1700000000)", R"("logDateTim":-1000)", R"("logDateTim":null)",
                              R"("logDateTim":"now")", R"("x":1)"}) {
    CAPTURE(nothing);
    CHECK(said(nothing) == 0);
  }
}

TEST_CASE("callback: every spelling", "[wire]") {
  check(R"([{"logId":501,"logDateTim":1700000000000,"handleCode":200,"handleMsg":"fine"}])", 501, 200, "fine");
  check(R"([{"logId":501,"handleCode":200}])", 501, 200, "");
  check(R"([{"logId":501,"handleCode":200,"handleMsg":null}])", 501, 200, "");
  check(R"([{"logId":502,"logDateTim":0,"executeResult":{"code":500,"msg":"old"}}])", 502, 500, "old");
  check(R"([{"logId":503,"executeResult":{"code":500,"msg":"","content":"go text"}}])", 503, 500, "go text");
  check(R"([{"logId":504,"handleCode":502,"executeResult":{"code":500}}])", 504, 502, "");
  check(R"({"callbackList":[{"logId":504,"logDateTime":1,"handleCode":200}]})", 504, 200, "");
  check(R"([{"logId":505,"handleCode":407}])", 505, 407, "");
}

TEST_CASE("callback: an empty list is not an error", "[wire]") {
  for (const char* body :
       {"[]", "null", "[null]", "[null,null]", R"({"callbackList":[]})", R"({"callbackList":null})", " [ ] \n"}) {
    CAPTURE(body);
    auto parsed = parse_callbacks(body);
    REQUIRE(parsed);
    CHECK(parsed->items.empty());
    CHECK(parsed->skipped == 0);
  }
}

TEST_CASE("callback: spellings of clients", "[wire]") {
  // Numbers as texts, unquoted names, any order of members, both forms in one object.
  check(R"([{"logId":"7","handleCode":"200","handleMsg":"x"}])", 7, 200, "x");
  check(R"([{logId:7,handleCode:200.0,handleMsg:'it\'s'}])", 7, 200, "it's");
  check(R"([{"executeResult":{"msg":"b","code":500},"handleMsg":"a","logId":7,"handleCode":200}])", 7, 200, "a");
  check(R"([{"logId":7,"handleCode":200,"handleMsg":"","executeResult":{"code":200,"msg":"b","content":"c"}}])", 7, 200, "b");
  check(R"([{"logId":7,"executeResult":{"code":200,"msg":null,"content":{"a":1}}}])", 7, 200, "");
  check(R"([{"logId":7,"handleCode":200,"handleMsg":12}])", 7, 200, "12");
  check(R"([{"logId":7,"handleCode":200,"handleMsg":{"a":[1, 2]}}])", 7, 200, R"({"a":[1, 2]})");
  check(R"([{"logId":9223372036854775807,"handleCode":200}])", INT64_MAX, 200, "");
  // The last of two equal names applies, as in Java.
  check(R"([{"logId":7,"logId":8,"handleCode":500,"handleCode":200}])", 8, 200, "");
}

TEST_CASE("callback: codes", "[wire]") {
  check(R"([{"logId":7,"handleCode":0}])", 7, 0, "");
  check(R"([{"logId":7,"handleCode":-3,"executeResult":{"code":200}}])", 7, -3, "");
  check(R"([{"logId":7,"handleCode":null,"executeResult":{"code":200}}])", 7, 200, "");
  for (const char* unusable : {"null", "\"ok\"", "1.5", "[]", "{}", "4294967296", "true"}) {
    CAPTURE(unusable);
    const auto item = only(std::string{R"([{"logId":7,"handleCode":)"} + unusable + R"(,"handleMsg":"why"}])");
    CHECK(item.code == 500);
    CHECK(item.message == "The callback carries no result code.<br>why");
  }
  check(R"([{"logId":7}])", 7, 500, "The callback carries no result code.");
}

TEST_CASE("callback: a broken item does not affect the others", "[wire]") {
  for (const char* broken :
       {"{}", "7", "\"x\"", "[]", R"({"logId":0,"handleCode":200})", R"({"logId":-4,"handleCode":200})", R"({"logId":"x"})",
        R"({"logId":null})", R"({"logId":99999999999999999999})", R"({"logId":{"a":1}})", R"({"logid":7})"}) {
    CAPTURE(broken);
    auto parsed =
        parse_callbacks(std::string{R"([{"logId":1,"handleCode":200},)"} + broken + R"(,{"logId":2,"handleCode":200}])");
    REQUIRE(parsed);
    REQUIRE(parsed->items.size() == 2);
    CHECK(core::number(parsed->items[1].id) == 2);
    CHECK(parsed->skipped == 1);
  }
}

TEST_CASE("callback: a malformed body is refused as a whole", "[wire]") {
  CHECK(callback_refusal("") == "invalid request, requestBody empty.");
  CHECK(callback_refusal("\n") == "invalid request, requestBody empty.");
  for (const std::string& body :
       {std::string{"7"}, std::string{"\"x\""}, std::string{"<html>"}, std::string{"{}"}, std::string{R"({"callbackList":7})"},
        std::string{R"({"callbackList":{}})"}, std::string{R"({"logId":1,"handleCode":200})"},
        std::string{R"([{"logId":1,"handleCode":200}]x)"}, std::string(500000, '['),
        std::string{"[{\"logId\":1,\"handleMsg\":"} + std::string(100000, '[')}) {
    CAPTURE(body.substr(0, 60));
    CHECK(callback_refusal(body).rfind("openapi invoke error: ", 0) == 0);
  }
}

TEST_CASE("callback: a body truncated at any byte is refused", "[wire]") {
  const std::string body =
      R"({"callbackList":[{"logId":1,"executeResult":{"code":200,"msg":"a\u0041","content":null}},)"
      R"({"logId":2,"handleCode":200}]})";
  REQUIRE(parse_callbacks(body));
  for (std::size_t n = 0; n < body.size(); ++n)
    CHECK(callback_refusal(std::string_view{body}.substr(0, n)) != "accepted");
}

TEST_CASE("callback: long messages, many items", "[wire]") {
  CHECK(only(R"([{"logId":1,"handleCode":200,"handleMsg":")" + std::string(20000, 'x') + "\"}]").message.size() ==
        core::message_units_max);

  std::string chinese;
  for (int i = 0; i < 400000; ++i)
    chinese += "界";
  CHECK(only(R"([{"logId":1,"handleCode":200,"handleMsg":")" + chinese + "\"}]").message.size() == 3 * core::message_units_max);

  std::string many = "[";
  for (int i = 1; i <= 20000; ++i)
    many += (i > 1 ? "," : "") + std::string{R"({"logId":)"} + std::to_string(i) +
            R"(,"logDateTim":1700000000000,"handleCode":200,"handleMsg":"m"})";
  auto parsed = parse_callbacks(many + "]");
  REQUIRE(parsed);
  REQUIRE(parsed->items.size() == 20000);
  CHECK(core::number(parsed->items.back().id) == 20000);
}

TEST_CASE("callback: messages are valid UTF-8 without NUL", "[wire]") {
  const auto item = only("[{\"logId\":1,\"handleCode\":500,\"handleMsg\":\"a\0b\xFF\xE4\xB8\"}]"sv);
  CHECK(item.message == core::valid_utf8("a\0b\xFF\xE4\xB8"sv));
  CHECK(only("[{\"logId\":1,\"handleCode\":500,\"handleMsg\":[\"\xFF\"]}]").message == core::valid_utf8("[\"\xFF\"]"));
}

TEST_CASE("callback: no mutation of a valid body breaks the parser", "[wire]") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random{seed};
  const std::string valid =
      R"([{"logId":501,"logDateTim":1700000000000,"handleCode":200,"handleMsg":"fine \u4e2d"},)"
      R"({"logId":502,"executeResult":{"code":500,"msg":"old"}}])";
  for (int i = 0; i < 20000; ++i) {
    std::string body = valid;
    for (auto n = 1 + random() % 4; n > 0; --n)
      body[random() % body.size()] = static_cast<char>(random());
    if (auto parsed = parse_callbacks(body))
      for (const auto& item : parsed->items) {
        CHECK(core::number(item.id) > 0);
        CHECK(item.message == core::valid_utf8(item.message));
      }
  }
}
