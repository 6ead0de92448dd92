#include <random>
#include <string>

#include <nlohmann/json.hpp>

#include "core/text/text.hpp"
#include "protocol/wire/executor/executor_codec.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace ringmaster::protocol::wire;

namespace {

constexpr core::log_id ours{4711};

executor_reply reply_of(std::string_view body, unsigned status = 200) { return parse_reply(status, body, ours); }

} // namespace

TEST_CASE("executor_reply: accepted", "[wire]") {
  for (const char* body : {R"({"code":200})", R"({"code":200,"msg":"Success"})", R"({"code":200,"msg":"","content":"success"})",
                           R"({"code":200,"msg":"Running"})", R"({"code":"200"})", R"({"code":200.0,"msg":null,"data":null})",
                           R"({code:200})", "\xEF\xBB\xBF{\"code\":200}\n", R"({"code":200,"data":{"x":[1]},"success":true})"}) {
    CAPTURE(body);
    const auto reply = reply_of(body);
    CHECK(reply.code == 200);
    CHECK(reply.accepted());
    CHECK_FALSE(reply.wants_trigger_path);
  }
  CHECK(reply_of(R"({"code":200,"msg":"Running"})").msg == "Running");
  CHECK(reply_of(R"({"code":200})").msg.empty());
}

TEST_CASE("executor_reply: an array is a failure that keeps its text", "[wire]") {
  const auto reply = reply_of(
      R"([{"logId":1,"executeResult":{"code":500,"msg":"from result"},"handleCode":500,"handleMsg":"Task not registered"},)"
      R"({"handleMsg":"second"}])");
  CHECK(reply.code == 500);
  CHECK(reply.msg == "Task not registered");
  CHECK(reply_of(R"([{"handleMsg":"","executeResult":{"msg":"params err"}}])").msg == "params err");
  CHECK(reply_of(R"([{"handleCode":200,"handleMsg":"fine"}])").code == 500);
  CHECK(reply_of("[]").code == 500);
  CHECK_FALSE(reply_of("[]").msg.empty());
}

TEST_CASE("executor_reply: a status other than 200 is a failure", "[wire]") {
  const auto busy = reply_of(R"({"code":402,"msg":"busy"})", 402);
  CHECK(busy.code == 402);
  CHECK(busy.msg == "busy");
  CHECK(reply_of(R"({"code":200,"msg":"x"})", 201).code == 500);
  CHECK(reply_of(R"({"code":200})", 204).msg == "HTTP status 204");
  CHECK(reply_of("", 413).msg == "HTTP status 413: The executor's reply is empty.");
  CHECK(reply_of("<html>Not Found</html>", 404).msg ==
        "HTTP status 404: The executor's reply cannot be read: <html>Not Found</html>");
  CHECK(reply_of(R"({"timestamp":1,"status":404,"error":"Not Found"})", 404).code == 500);
}

TEST_CASE("executor_reply: missing and invalid codes are failures with a text", "[wire]") {
  CHECK(reply_of(R"({"msg":"x"})").msg == "x");
  for (const std::string& body :
       {std::string{R"({"msg":"x"})"}, std::string{}, std::string{" \n"}, std::string{"null"}, std::string{"{}"},
        std::string{R"({"code":0,"msg":"x"})"}, std::string{R"({"code":null,"msg":"x"})"}, std::string{R"({"code":"ok"})"},
        std::string{R"({"code":true})"}, std::string{R"({"code":[200]})"}, std::string{R"({"code":4294967496})"},
        std::string{R"({"code":200}x)"}, std::string{R"({"code":200)"}, std::string{R"({"code":200}{"code":200})"},
        std::string{"200"}, std::string{"\"ok\""}, std::string{"<html/>"}, std::string(1000000, '['),
        std::string{R"({"code":500})"}.insert(11, R"(,"msg":""))").erase(22)}) {
    CAPTURE(body.substr(0, 60));
    const auto reply = reply_of(body);
    CHECK(reply.code != 200);
    CHECK(reply.code != 0);
    CHECK_FALSE(reply.accepted());
  }
  CHECK(reply_of(std::string(1000000, '<')).msg.size() < 400);
}

TEST_CASE("executor_reply: the origin of a reply is recognised", "[wire]") {
  const auto origin = [](std::string_view body, unsigned status = 200) { return reply_of(body, status).origin; };
  for (const auto& [body, status] : std::vector<std::pair<const char*, unsigned>>{
         {R"({"code":200})", 200}, {R"({"code":500,"msg":"x"})", 200}, {R"({"code":500,"msg":"x"})", 500},
         {R"({"code":402,"msg":"busy"})", 402}, {R"({"code":401})", 401}, {R"([{"handleMsg":"Task not registered"}])", 200},
         {R"({"code":503,"msg":"this executor is stopping"})", 200}, {R"({"code":409,"msg":"x"})", 409}}) {
    CAPTURE(body, status);
    CHECK(origin(body, status) == reply_origin::executor);
  }
  for (unsigned status : {301U, 302U, 307U, 308U, 400U, 401U, 403U, 404U, 405U, 411U, 413U, 414U, 415U, 421U, 422U, 429U, 431U,
                          501U, 505U}) {
    CAPTURE(status);
    CHECK(origin("<html/>", status) == reply_origin::refused);
    CHECK(origin("", status) == reply_origin::refused);
  }
  for (unsigned status : {200U, 201U, 204U, 206U, 300U, 303U, 304U, 408U, 409U, 424U, 499U, 500U, 502U, 503U, 504U, 507U, 520U,
                          524U, 599U}) {
    CAPTURE(status);
    CHECK(origin("<html/>", status) == reply_origin::unknown);
    CHECK(origin("", status) == reply_origin::unknown);
    CHECK(origin(R"({"error":"Gateway Timeout"})", status) == reply_origin::unknown);
  }
  // A gateway may present its own error as an object with a code; a success with another status is contradictory.
  for (unsigned status : {408U, 502U, 503U, 504U, 522U})
    CHECK(origin(R"({"code":500,"msg":"upstream"})", status) == reply_origin::unknown);
  for (unsigned status : {201U, 204U, 500U})
    CHECK(origin(R"({"code":200})", status) == reply_origin::unknown);
  for (const char* body : {R"({"code":0,"msg":"x"})", R"({"code":"ok"})", R"({"code":4294967496})", "[]", "null", "200"})
    CHECK(origin(body) == reply_origin::unknown);
}

TEST_CASE("executor_reply: a log answer from a proxy is ignored", "[wire]") {
  const std::string denied =
    R"({"code":200,"content":{"fromLineNum":1,"toLineNum":0,"logContent":"readLog fail, logFile not exists"}})";
  CHECK(parse_log_reply(200, denied, 1));
  for (unsigned status : {408U, 502U, 503U, 504U, 524U})
    CHECK_FALSE(parse_log_reply(status, denied, 1));
}

TEST_CASE("executor_reply: the reason may be in content or data", "[wire]") {
  CHECK(reply_of(R"({"code":500,"msg":"","content":"no handler"})").msg == "no handler");
  CHECK(reply_of(R"({"code":500,"msg":null,"data":"no handler"})").msg == "no handler");
  CHECK(reply_of(R"({"code":500,"msg":"why","data":"no handler"})").msg == "why");
  CHECK(reply_of(R"({"code":200,"msg":"Success","content":"no handler"})").msg == "Success");
}

TEST_CASE("executor_reply: a repeat with the same log id counts as accepted", "[wire]") {
  CHECK(reply_of(R"({"code":500,"msg":"repeate trigger job, logId:4711"})").repeated_log_id);
  CHECK(reply_of(R"({"code":500,"msg":"repeat trigger job, logId:4711"})").accepted());
  CHECK(reply_of(R"({"code":500,"msg":"repeat trigger job, logId: 4711."})").accepted());
  for (const char* other : {"repeat trigger job, logId:47110", "repeat trigger job, logId:471", "repeat trigger job",
                            "do not repeat, logId:4711", "repeat trigger job, logId:", "repeat trigger job, logId:x4711"}) {
    CAPTURE(other);
    CHECK_FALSE(reply_of(std::string{R"({"code":500,"msg":")"} + other + "\"}").repeated_log_id);
  }
  CHECK_FALSE(parse_reply(200, R"({"code":500,"msg":"repeat trigger job, logId:0"})", core::log_id{}).repeated_log_id);
}

TEST_CASE("executor_reply: an executor that supports only /trigger is recognised", "[wire]") {
  CHECK(reply_of(R"({"code":500,"msg":"invalid request, uri-mapping(/run) not found."})").wants_trigger_path);
  CHECK(reply_of(R"({"code":500,"msg":"invalid request, uri-mapping(/job/run) not found."})").wants_trigger_path);
  CHECK_FALSE(reply_of(R"({"code":500,"msg":"invalid request, uri-mapping(/trigger) not found."})").wants_trigger_path);
  CHECK(reply_of(R"({"code":500,"msg":"invalid request, uri-mapping(/trigger) not found."})").wants_run_path);
  CHECK_FALSE(reply_of(R"({"code":500,"msg":"invalid request, uri-mapping(/run) not found."})").wants_run_path);
  CHECK_FALSE(reply_of(R"({"code":500,"msg":"invalid request, uri-mapping() not found."})").wants_run_path);
  CHECK_FALSE(reply_of(R"({"code":200,"msg":"invalid request, uri-mapping(/run) not found."})").wants_trigger_path);
}

TEST_CASE("executor_reply: a refused token is recognised by Java's and Node's words", "[wire]") {
  CHECK(reply_of(R"({"code":500,"msg":"The access token is wrong."})").refuses_token);
  CHECK(reply_of(R"({"code":500,"msg":"Access token incorrect."})").refuses_token);
  CHECK_FALSE(reply_of(R"({"code":500,"msg":"Access token incorrect"})").refuses_token);
  CHECK_FALSE(reply_of(R"({"code":200,"msg":"Access token incorrect."})").refuses_token);
}

TEST_CASE("executor_reply: texts are cut and valid", "[wire]") {
  CHECK(reply_of(R"({"code":500,"msg":")" + std::string(1000000, 'x') + "\"}").msg.size() == core::message_units_max);
  const auto text = reply_of("{\"code\":500,\"msg\":\"\xFF\xFE\"}").msg;
  CHECK(text == core::valid_utf8(text));
  const auto html = reply_of("<p>\xFF\xE4\xB8").msg;
  CHECK(html == core::valid_utf8(html));
}

TEST_CASE("executor_reply: a log chunk in content, in data, in a failure", "[wire]") {
  const std::string chunk = R"({"fromLineNum":5,"toLineNum":6,"logContent":"a\nb\n","isEnd":true})";
  for (const std::string& body :
       {R"({"code":200,"content":)" + chunk + "}", R"({"code":200,"msg":"Success","data":)" + chunk + "}",
        R"({"code":500,"data":)" + chunk + "}", R"({"code":200,"content":null,"data":)" + chunk + "}",
        R"({"data":{"logContent":"no"},"content":)" + chunk + R"(,"code":200})"}) {
    CAPTURE(body);
    auto parsed = parse_log_reply(200, body, 5);
    REQUIRE(parsed);
    CHECK(parsed->from_line == 5);
    CHECK(parsed->to_line == 6);
    CHECK(parsed->content == "a\nb\n");
    CHECK(parsed->end);
  }
}

TEST_CASE("executor_reply: chunks with gaps", "[wire]") {
  auto beyond =
      parse_log_reply(200, R"({"code":200,"content":{"fromLineNum":5,"toLineNum":4,"logContent":"","isEnd":false}})", 5);
  REQUIRE(beyond);
  CHECK(beyond->to_line == 4);
  CHECK_FALSE(beyond->end);

  auto bare = parse_log_reply(200, R"({"code":200,"content":{"logContent":null,"end":"true"}})", 9);
  REQUIRE(bare);
  CHECK(bare->from_line == 9);
  CHECK(bare->to_line == 0);
  CHECK(bare->content.empty());
  CHECK(bare->end);

  for (const char* none :
       {R"({"code":200,"content":null})", R"({"code":200})", R"({"code":200,"data":null,"content":null,"msg":"Success"})"}) {
    auto parsed = parse_log_reply(200, none, 9);
    REQUIRE(parsed);
    CHECK(parsed->from_line == 9);
    CHECK(parsed->to_line == 0);
    CHECK_FALSE(parsed->end);
  }
  auto huge = parse_log_reply(200, R"({"code":200,"data":{"fromLineNum":99999999999,"toLineNum":"12","logContent":"x"}})", 1);
  REQUIRE(huge);
  CHECK(huge->from_line == INT32_MAX);
  CHECK(huge->to_line == 12);
}

TEST_CASE("executor_reply: a wrong last line does not make readers miss the next one", "[wire]") {
  const auto last_line = [](std::int32_t asked, const std::string& content, std::int32_t to_line, bool end) {
    const nlohmann::json chunk{{"fromLineNum", asked}, {"toLineNum", to_line}, {"logContent", content}, {"isEnd", end}};
    auto parsed = parse_log_reply(200, nlohmann::json{{"code", 200}, {"content", chunk}}.dump(), asked);
    REQUIRE(parsed);
    return parsed->to_line;
  };
  // Node's line 1 is the second of the file; Go's count ends after the last line.
  CHECK(last_line(1, "2\n3\n", 3, false) == 2);
  CHECK(last_line(5, "5\n6", 7, true) == 6);
  // Python at the end of the file, and instead of a file; with Redis its last line is always the 1000th.
  CHECK(last_line(7, "", 7, true) == 6);
  CHECK(last_line(1, "No such logid logs.", 1, false) == 0);
  CHECK(last_line(1, "1\n2\n", 1000, true) == 2);
  // Java's answers: existing lines, the end, after the end, and no file.
  CHECK(last_line(1, "1\n2\n", 2, false) == 2);
  CHECK(last_line(9, "", 4, false) == 4);
  CHECK(last_line(9, "", 0, false) == 0);
  CHECK(last_line(1, "readLog fail, logFile not exists", 0, true) == 0);
  // One text of several lines that counts as one line; omitted lines.
  CHECK(last_line(1, "1\n at x\n at y\n", 1, true) == 1);
  CHECK(last_line(1, "499\n500\n", 500, false) == 500);
  CHECK(last_line(INT32_MAX, "a\nb\nc\n", INT32_MAX, false) == INT32_MAX);
}

TEST_CASE("executor_reply: the payload of a success, by family", "[wire]") {
  const std::string_view gone = "job thread already killed.";
  CHECK(reply_of(R"({"code":200,"msg":"job thread already killed."})").msg == gone);
  const auto c = reply_of(R"({"code":200,"msg":"Success","content":"job thread already killed."})");
  CHECK(c.code == 200);
  CHECK(c.msg == "Success");
  CHECK(c.payload == gone);
  CHECK(reply_of(R"({"code":200,"msg":"Success","data":"job thread already killed."})").payload == gone);
  CHECK(reply_of(R"({"code":200,"msg":"Success","content":null,"data":null})").payload.empty());
  CHECK(reply_of(R"({"code":200,"data":)" + ('"' + std::string(20'000, 'x') + '"') + "}").payload.size()
        == core::message_units_max);
  // In a failure it is the message if there is no other.
  const auto failure = reply_of(R"({"code":500,"content":"not yet support"})");
  CHECK(failure.msg == "not yet support");
  CHECK(failure.payload.empty());
}

TEST_CASE("executor_reply: a refused or unreadable log", "[wire]") {
  for (const char* body : {R"({"code":500,"msg":"not supported"})", "", "<html>", "[]", R"({"msg":"x"})"}) {
    auto parsed = parse_log_reply(200, body, 1);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().code == core::errc::unavailable);
    CHECK_FALSE(parsed.error().context.empty());
  }
  CHECK(parse_log_reply(200, R"({"code":500,"msg":"not supported"})", 1).error().context == "not supported");
  CHECK_FALSE(parse_log_reply(404, R"({"code":200})", 1));
}

TEST_CASE("executor_reply: no mutation of a valid reply breaks the parser", "[wire]") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random{seed};
  const std::string valid =
      R"({"code":200,"msg":"Success","data":{"fromLineNum":1,"toLineNum":9,"logContent":"a\u4e2d","isEnd":false}})";
  for (std::size_t n = 0; n < valid.size(); ++n)
    CHECK(reply_of(std::string_view{valid}.substr(0, n)).code == 500);
  for (int i = 0; i < 20000; ++i) {
    std::string body = valid;
    for (auto n = 1 + random() % 4; n > 0; --n)
      body[random() % body.size()] = static_cast<char>(random());
    const auto reply = reply_of(body);
    CHECK(reply.code != 0);
    CHECK(reply.msg == core::valid_utf8(reply.msg));
    (void)parse_log_reply(200, body, 1);
  }
}
