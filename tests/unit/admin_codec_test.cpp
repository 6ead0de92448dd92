#include "protocol/wire/xxl/admin_codec.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/text/text.hpp"
#include "protocol/wire/executor/callback_codec.hpp"
#include "protocol/wire/executor/registry_codec.hpp"
#include "protocol/wire/xxl/reply_codec.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace ringmaster::protocol::wire;

namespace {

const core::run_report fine{core::log_id{501}, core::from_ms(1700000000000), 200, "fine"};
const core::run_report silent{core::log_id{502}, core::from_ms(0), 502, std::nullopt};

} // namespace

TEST_CASE("admin: a registration is exactly three fields (L1)", "[wire]") {
  const auto body = encode_registry("app-1", "http://pub.example:80/x/");
  CHECK(body == R"({"registryGroup":"EXECUTOR","registryKey":"app-1","registryValue":"http://pub.example:80/x/"})");
  const auto read = parse_registry(body);
  REQUIRE(read);
  CHECK(read->registry_value == "http://pub.example:80/x/");
  CHECK(nlohmann::json::parse(encode_registry("a\"\n\xFF", "\\"))["registryKey"] == "a\"\n\uFFFD");
}

TEST_CASE("admin: results for admins up to 3.4", "[wire]") {
  const std::array reports{fine, silent};
  CHECK(encode_reports(reports, admin_family::array) ==
        R"([{"logId":501,"logDateTim":1700000000000,"handleCode":200,"handleMsg":"fine",)"
        R"("executeResult":{"code":200,"msg":"fine"}},)"
        R"({"logId":502,"logDateTim":0,"handleCode":502,"executeResult":{"code":502}}])");
  CHECK(encode_reports({}, admin_family::array) == "[]");
}

TEST_CASE("admin: results for admins of 3.5", "[wire]") {
  const std::array reports{fine, silent};
  CHECK(encode_reports(reports, admin_family::app_named) ==
        R"({"callbackList":[{"logId":501,"logDateTime":1700000000000,"handleCode":200,"handleMsg":"fine"},)"
        R"({"logId":502,"logDateTime":0,"handleCode":502}]})");
  CHECK(encode_reports({}, admin_family::app_named) == R"({"callbackList":[]})");
}

TEST_CASE("admin: the decoder reads both families alike", "[wire]") {
  std::vector<core::run_report> reports{fine, silent};
  reports.push_back({core::log_id{503}, core::from_ms(9), 500, "Zeile\n\"<br>\" 你好 \\ \x01"});
  reports.push_back({core::log_id{504}, core::from_ms(9), 407, ""});
  for (const auto family : {admin_family::array, admin_family::app_named}) {
    const auto read = parse_callbacks(encode_reports(reports, family));
    REQUIRE(read);
    REQUIRE(read->items.size() == reports.size());
    for (std::size_t i = 0; i < reports.size(); ++i) {
      CHECK(read->items[i].id == reports[i].run);
      CHECK(read->items[i].code == reports[i].code);
      CHECK(read->items[i].message == reports[i].message.value_or(""));
    }
  }
}

TEST_CASE("admin: replies that accept a result (L8)", "[wire]") {
  for (const std::string& body : {
           std::string{R"({"code":200,"msg":null,"content":null})"},
           std::string{R"({"code":200,"content":null,"data":null,"x":1})"},
           std::string{R"({"code":"200"})"},
           std::string{R"({"code":200.0,"msg":"Success","data":{"a":[1]},"success":true})"},
           std::string{plain_success},
           std::string{"\xEF\xBB\xBF {code:200}\n"},
       }) {
    CAPTURE(body);
    const auto reply = parse_admin_reply(200, body);
    CHECK(reply.accepted());
    CHECK_FALSE(reply.wants_app_name);
  }
}

TEST_CASE("admin: any other reply is a failure", "[wire]") {
  CHECK(parse_admin_reply(200, R"({"code":500,"msg":"no"})").code == 500);
  CHECK(parse_admin_reply(200, R"({"code":500,"msg":"no"})").message == "no");
  CHECK(parse_admin_reply(200, "").message == "The admin's reply is empty.");
  CHECK(parse_admin_reply(200, R"({"msg":null})").message == "The admin's reply carries no code.");
  for (const std::string& body : {
           std::string{},
           std::string{"null"},
           std::string{R"([{"code":200}])"},
           std::string{R"({"code":200} x)"},
           std::string{"<html>200</html>"},
           std::string{R"({"code":null})"},
           std::string{R"({"code":"x"})"},
           std::string{R"({"code":4294967496})"},
           std::string{R"({"msg":"x"})"},
           std::string(100000, '{'),
           std::string("\xFF\xFE\0", 3),
       }) {
    CAPTURE(body.substr(0, 40));
    const auto reply = parse_admin_reply(200, body);
    CHECK_FALSE(reply.accepted());
    CHECK(reply.code == 0);
    CHECK_FALSE(reply.message.empty());
    CHECK(reply.message.size() < 2000);
  }
}

TEST_CASE("admin: any other HTTP status is a failure regardless of the body (L7)", "[wire]") {
  for (const unsigned status : {201U, 204U, 302U, 404U, 500U, 0U}) {
    const auto reply = parse_admin_reply(status, R"({"code":200})");
    CHECK_FALSE(reply.accepted());
    CHECK(reply.code == 500);
    CHECK(reply.message == "HTTP status " + std::to_string(status));
  }
  const auto refused = parse_admin_reply(403, R"({"code":502,"msg":"slow down"})");
  CHECK(refused.code == 502);
  CHECK(refused.message == "HTTP status 403: slow down");
}

TEST_CASE("admin: an admin of 3.5 requests the app name (L9)", "[wire]") {
  const auto asks = [](const std::string& body) { return parse_admin_reply(200, body).wants_app_name; };
  CHECK(asks(R"({"code":500,"msg":"invalid request, accessToken or appname is empty.","data":null,"success":false})"));
  CHECK(asks(R"({"code":500,"msg":"invalid request, accessToken or appname invalid."})"));
  CHECK_FALSE(asks(R"({"code":500,"msg":"The access token is wrong.","content":null})"));
  CHECK_FALSE(asks(R"({"code":200,"msg":"accessToken or appname"})"));
}

TEST_CASE("admin: a long message is cut", "[wire]") {
  const auto reply = parse_admin_reply(200, R"({"code":500,"msg":")" + std::string(1000000, 'x') + "\"}");
  CHECK(reply.message.size() == core::message_units_max);
}

TEST_CASE("admin: a job's log prints an answer as Java does (L6)", "[wire]") {
  CHECK(printed(parse_admin_reply(200, R"({"code":500,"msg":"no"})")) == "ReturnT [code=500, msg=no, content=null]");
  CHECK(printed(admin_reply{200, {}, false}) == "ReturnT [code=200, msg=null, content=null]");
}
