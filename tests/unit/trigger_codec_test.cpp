#include "protocol/wire/executor/trigger_codec.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "protocol/wire/executor/executor_codec.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace ringmaster::protocol::wire;

namespace {

const std::string whole =
    R"({"jobId":1,"executorHandler":"ok","executorParams":"a b","executorBlockStrategy":"COVER_EARLY","executorTimeout":30,)"
    R"("logId":11,"logDateTime":1700000000123,"glueType":"BEAN","glueSource":"","glueUpdatetime":1600000000000,)"
    R"("broadcastIndex":2,"broadcastTotal":5})";

template <class T>
std::string refusal_of(const core::result<T>& parsed) {
  if (parsed)
    return "accepted";
  CHECK(parsed.error().code == core::errc::invalid_argument);
  return parsed.error().context;
}

} // namespace

TEST_CASE("trigger: every field of a run", "[wire]") {
  const auto read = parse_trigger(whole);
  REQUIRE(read);
  CHECK(read->job == core::job_id{1});
  CHECK(read->run == core::log_id{11});
  CHECK(core::to_ms(read->log_time) == 1700000000123);
  CHECK(read->handler == "ok");
  CHECK(read->param == "a b");
  CHECK(read->block == core::block_strategy::cover_early);
  CHECK(read->timeout_s == 30);
  CHECK(read->glue_type == "BEAN");
  CHECK(read->glue_source == "");
  CHECK(read->glue_updated_ms == 1600000000000);
  CHECK(read->shard_index == 2);
  CHECK(read->shard_total == 5);
}

TEST_CASE("trigger: the parser reads the output of the encoder", "[wire]") {
  core::job job;
  job.id = core::job_id{42};
  job.handler = "POST";
  job.param = "line\nPOST \"你好\" \\ \t";
  job.timeout_s = 30;
  job.block = core::block_strategy::discard_later;
  job.glue_type = "GLUE_SHELL";
  job.glue_source = std::make_shared<const std::string>("curl -X POST");
  core::claimed_run run;
  run.id = core::log_id{std::numeric_limits<std::int64_t>::max()};
  run.plan.fire_at = core::from_ms(1700000000987);
  run.plan.spec = std::make_shared<const core::job>(job);

  const auto read = parse_trigger(encode_run(run));

  REQUIRE(read);
  CHECK(read->job == job.id);
  CHECK(read->run == run.id);
  CHECK(core::to_ms(read->log_time) == 1700000000000);
  CHECK(read->handler == job.handler);
  CHECK(read->param == job.param);
  CHECK(read->block == job.block);
  CHECK(read->glue_type == job.glue_type);
  CHECK(read->glue_source == "curl -X POST");
}

TEST_CASE("trigger: five fields are enough (E11)", "[wire]") {
  const auto read = parse_trigger(R"({"jobId":1,"executorHandler":"ok","logId":11,"logDateTime":5,"glueType":"BEAN"})");
  REQUIRE(read);
  CHECK_FALSE(read->param);
  CHECK_FALSE(read->glue_source);
  CHECK(read->block == core::block_strategy::serial_execution);
  CHECK(read->timeout_s == 0);
  CHECK(read->shard_index == 0);
  CHECK(read->shard_total == 1);
}

TEST_CASE("trigger: null counts as not sent", "[wire]") {
  const auto read = parse_trigger(
      R"({"jobId":null,"executorHandler":null,"executorParams":null,"executorBlockStrategy":null,"executorTimeout":null,)"
      R"("logId":null,"logDateTime":null,"glueType":null,"glueSource":null,"glueUpdatetime":null,"broadcastIndex":null,)"
      R"("broadcastTotal":null})");
  REQUIRE(read);
  CHECK(read->job == core::job_id{0});
  CHECK_FALSE(read->handler);
  CHECK_FALSE(read->param);
  CHECK_FALSE(read->glue_type);
  CHECK_FALSE(read->glue_source);
  CHECK(read->shard_total == 1);
}

TEST_CASE("trigger: as lenient as Java", "[wire]") {
  for (const std::string& body : {
           std::string{R"({"jobId":"7","logId":"11","executorHandler":12,"executorTimeout":30.0})"},
           std::string{R"({jobId:7,'logId':11,executorHandler:12,executorTimeout:"30"})"},
           std::string{"\xEF\xBB\xBF {\"jobId\":7,\"logId\":11,\"executorHandler\":\"12\",\"executorTimeout\":30}\r\n"},
           std::string{R"({"a":{"jobId":[1,{}]},"jobId":1,"jobId":7,"logId":11,)"
                       R"("executorHandler":"12","executorTimeout":30,"b":[]})"},
       }) {
    CAPTURE(body);
    const auto read = parse_trigger(body);
    REQUIRE(read);
    CHECK(read->job == core::job_id{7});
    CHECK(read->run == core::log_id{11});
    CHECK(read->handler == "12");
    CHECK(read->timeout_s == 30);
  }
}

TEST_CASE("trigger: an unknown block strategy runs in series (E25)", "[wire]") {
  for (const std::string name : {"X", "", "cover_early", "SERIAL_EXECUTION"}) {
    CAPTURE(name);
    const auto read = parse_trigger(R"({"executorBlockStrategy":")" + name + "\"}");
    REQUIRE(read);
    CHECK(read->block == core::block_strategy::serial_execution);
  }
}

TEST_CASE("trigger: a shard must be valid for a handler", "[wire]") {
  const auto read = parse_trigger(R"({"broadcastIndex":-4,"broadcastTotal":0})");
  REQUIRE(read);
  CHECK(read->shard_index == 0);
  CHECK(read->shard_total == 1);
}

TEST_CASE("trigger: an invalid trigger is refused with a text (E8)", "[wire]") {
  CHECK(refusal_of(parse_trigger("")) == "request error: the body is empty");
  CHECK(refusal_of(parse_trigger(" \r\n")) == "request error: the body is empty");
  for (const std::string& body : {
           std::string{"{x"},
           std::string{"null"},
           std::string{"[]"},
           std::string{"\"\""},
           std::string{"<html>"},
           std::string{R"({"jobId":1} {})"},
           std::string{R"({"jobId":1)"},
           std::string{R"({"jobId":1.5})"},
           std::string{R"({"jobId":""})"},
           std::string{R"({"jobId":"one"})"},
           std::string{R"({"jobId":true})"},
           std::string{R"({"jobId":{}})"},
           std::string{R"({"jobId":2147483648})"},
           std::string{R"({"logId":9223372036854775808})"},
           std::string{R"({"logDateTime":1e300})"},
           std::string{R"({"executorTimeout":-2147483649})"},
           std::string{R"({"executorHandler":{}})"},
           std::string{R"({"glueSource":["a"]})"},
           std::string{R"({"executorParams":"\q"})"},
           std::string(100, '{'),
           std::string(100000, '['),
           "{\"a\":" + std::string(100000, '['),
       }) {
    CAPTURE(body.substr(0, 40));
    CHECK(refusal_of(parse_trigger(body)).starts_with("request error: "));
  }
  CHECK(refusal_of(parse_trigger(R"({"jobId":1.5,"logId":true})")) == "request error: jobId must be a whole number in its range");
}

TEST_CASE("trigger: texts come out as valid UTF-8 without NUL", "[wire]") {
  const auto read = parse_trigger("{\"executorParams\":\"a\\u0000b\xFF\\ud800c\",\"executorHandler\":\"\xED\xA0\x80\"}");
  REQUIRE(read);
  CHECK(read->param == "ab\uFFFD\uFFFDc");
  CHECK(read->handler == "\uFFFD\uFFFD\uFFFD");
}

TEST_CASE("trigger: a source of five megabytes is read whole", "[wire]") {
  const std::string source(5 * 1024 * 1024, 'x');
  const auto read = parse_trigger(R"({"jobId":1,"glueSource":")" + source + "\"}");
  REQUIRE(read);
  CHECK(read->glue_source->size() == source.size());
}

TEST_CASE("trigger: the request about a job (E6, E7)", "[wire]") {
  CHECK(parse_job_question(R"({"jobId":1})") == core::job_id{1});
  CHECK(parse_job_question(R"({"jobId":"1"})") == core::job_id{1});
  CHECK(parse_kill_question(R"({"jobId":3,"logId":24})")->run == core::log_id{24});
  CHECK(parse_kill_question(R"({"jobId":3})")->run == core::log_id{0});
  CHECK(parse_job_question(R"({"id":9})") == core::job_id{0});
  CHECK(refusal_of(parse_job_question("{x")).starts_with("request error: "));
  CHECK(refusal_of(parse_job_question("")).starts_with("request error: "));
  CHECK(refusal_of(parse_job_question("null")).starts_with("request error: "));
}

TEST_CASE("trigger: the request for a log, in both spellings (E39, E40)", "[wire]") {
  for (const std::string& body : {
           std::string{R"({"logId":11,"logDateTim":1700000000000,"fromLineNum":3})"},
           std::string{R"({"logId":11,"logDateTime":1700000000000,"fromLineNum":3})"},
           encode_log(core::log_id{11}, core::from_ms(1700000000000), 3),
       }) {
    CAPTURE(body);
    const auto read = parse_log_question(body);
    REQUIRE(read);
    CHECK(read->run == core::log_id{11});
    CHECK(core::to_ms(read->log_time) == 1700000000000);
    CHECK(read->from_line == 3);
  }
  CHECK(refusal_of(parse_log_question(R"({"fromLineNum":99999999999})")).starts_with("request error: "));
  CHECK(refusal_of(parse_log_question("[]")).starts_with("request error: "));
}

TEST_CASE("trigger: bounds of a log are optional, and nearest numbers count", "[wire]") {
  const auto bounds_of = [](const std::string& members) {
    const auto read = parse_log_question(R"({"logId":1)" + members + "}");
    REQUIRE(read);
    return read->bounds;
  };
  CHECK_FALSE(bounds_of(""));
  CHECK_FALSE(bounds_of(R"(,"maxBytes":null,"tail":null)"));
  CHECK(bounds_of(R"(,"maxBytes":5000)") == core::log_bounds{5000});
  CHECK(bounds_of(R"(,"maxBytes":"5000","tail":"10")") == core::log_bounds{5000, 10});
  CHECK(bounds_of(R"(,"tail":10)") == core::log_bounds{1024 * 1024, 10});
  CHECK(bounds_of(R"(,"maxBytes":-1,"tail":-1)") == core::log_bounds{256, 1});
  CHECK(bounds_of(R"(,"maxBytes":99999999999,"tail":99999999999)") == core::log_bounds{1024 * 1024, 5000});
  CHECK(refusal_of(parse_log_question(R"({"tail":"x"})")).starts_with("request error: "));
}

TEST_CASE("trigger: the size of a log is beside its lines", "[wire]") {
  core::log_lines lines{.from_line = 9, .to_line = 10, .text = "a\nb\n"};
  lines.size = core::log_size{10, 40};
  const auto body = encode_log_lines(lines);
  const auto json = nlohmann::json::parse(body);
  CHECK(json["content"] == json["data"]);
  CHECK(json["data"]["totalLines"] == 10);
  CHECK(json["data"]["fileSize"] == 40);
  // The number of the last line counts as it is, for the last lines, too.
  const auto read = parse_log_reply(200, body, 1);
  REQUIRE(read);
  CHECK((read->from_line == 9 && read->to_line == 10 && read->size == lines.size));
  CHECK_FALSE(json["data"].contains("isCounted"));
  lines.size->counted = false;
  const auto part = parse_log_reply(200, encode_log_lines(lines), 1);
  REQUIRE(part);
  CHECK(part->size == core::log_size{10, 40, false});
}

TEST_CASE("trigger: encoded bytes of an answer", "[wire]") {
  CHECK(encode_trigger_reply({}) == R"({"code":200})");
  CHECK(encode_trigger_reply({200, "job thread already killed."}) == R"({"code":200,"msg":"job thread already killed."})");
  CHECK(encode_trigger_reply({500, "block strategy effect：Discard Later"}) ==
        R"({"code":500,"msg":"block strategy effect：Discard Later"})");
  CHECK(nlohmann::json::parse(encode_trigger_reply({500, std::string{"a\"\\\n\0\xFF", 6}}))["msg"] == "a\"\\\n\uFFFD");
}

TEST_CASE("trigger: log lines are sent under both names, and the admin's parser reads them", "[wire]") {
  const core::log_lines lines{.from_line = 5, .to_line = 6, .text = "eins \"zwei\"\n你好\n", .ended = false};
  const auto body = encode_log_lines(lines);
  const auto json = nlohmann::json::parse(body);
  CHECK(json["code"] == 200);
  CHECK(json["content"] == json["data"]);
  CHECK(json["data"].size() == 4);
  CHECK(json["data"]["isEnd"] == false);
  const auto read = parse_log_reply(200, body, 5);
  REQUIRE(read);
  CHECK(read->from_line == 5);
  CHECK(read->to_line == 6);
  CHECK(read->content == lines.text);
  CHECK_FALSE(read->end);
  CHECK(encode_log_lines({.from_line = 0, .to_line = 0, .text = {}, .ended = true}) ==
        R"({"code":200,"content":{"fromLineNum":0,"toLineNum":0,"logContent":"","isEnd":true},)"
        R"("data":{"fromLineNum":0,"toLineNum":0,"logContent":"","isEnd":true}})");
}
