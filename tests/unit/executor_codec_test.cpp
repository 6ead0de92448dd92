#include "protocol/wire/executor/executor_codec.hpp"

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace ringmaster::protocol::wire;

namespace {

core::claimed_run run_of(core::job job) {
  core::claimed_run run;
  run.id = core::log_id{4711};
  run.plan.spec = std::make_shared<const core::job>(std::move(job));
  run.plan.fire_at = core::from_ms(1700000000987);
  return run;
}

core::job settle_job() {
  core::job job;
  job.id = core::job_id{42};
  job.handler = "settle";
  job.param = "day=1";
  job.timeout_s = 30;
  job.glue_updated = core::from_ms(1600000000000);
  return job;
}

} // namespace

TEST_CASE("executor_codec: encoded bytes of a trigger", "[wire]") {
  CHECK(
      encode_run(run_of(settle_job())) ==
      R"({"jobId":42,"executorHandler":"settle","executorParams":"day=1","executorBlockStrategy":"SERIAL_EXECUTION",)"
        R"("executorTimeout":30,)"
      R"("logId":4711,"logDateTime":1700000000000,"glueType":"BEAN","glueSource":"","glueUpdatetime":1600000000000,)"
      R"("broadcastIndex":0,"broadcastTotal":1})");
}

TEST_CASE("executor_codec: a shard of a script job, with its own parameter", "[wire]") {
  auto job = settle_job();
  job.handler.clear();
  job.block = core::block_strategy::cover_early;
  job.glue_type = "GLUE_SHELL";
  job.glue_source = std::make_shared<const std::string>("#!/bin/bash\necho \"$1\"\t# 你好");
  auto run = run_of(std::move(job));
  run.plan.part = {.index = 2, .total = 5, .broadcast = true};
  run.plan.param = "";
  const auto out = encode_run(run);
  CHECK(out ==
        R"({"jobId":42,"executorHandler":"","executorParams":"","executorBlockStrategy":"COVER_EARLY","executorTimeout":30,)"
        R"("logId":4711,"logDateTime":1700000000000,"glueType":"GLUE_SHELL","glueSource":"#!/bin/bash\necho \"$1\"\t# 你好",)"
        R"("glueUpdatetime":1600000000000,"broadcastIndex":2,"broadcastTotal":5})");
}

TEST_CASE("executor_codec: 12 fields without null or negative numbers", "[wire]") {
  auto job = settle_job();
  job.timeout_s = -1;
  job.glue_updated = core::from_ms(-5);
  auto run = run_of(std::move(job));
  run.plan.part = {.index = -1, .total = 0, .broadcast = false};
  const auto read = nlohmann::json::parse(encode_run(run));
  CHECK(read.size() == 12);
  for (const auto& [name, value] : read.items()) {
    CAPTURE(name);
    CHECK((value.is_string() || (value.is_number_integer() && value.get<std::int64_t>() >= 0)));
  }
  CHECK(read["broadcastTotal"] == 1);
}

TEST_CASE("executor_codec: no body contains POST, at which some executors split their input", "[wire]") {
  auto job = settle_job();
  job.handler = "POST";
  job.param = "POSTPOST POS PPOST";
  job.glue_source = std::make_shared<const std::string>("curl -X POST");
  const auto out = encode_run(run_of(std::move(job)));
  CHECK(out.find("POST") == std::string::npos);
  CHECK(out.find(R"("executorParams":"\u0050OST\u0050OST POS P\u0050OST")") != std::string::npos);
  CHECK(nlohmann::json::parse(out)["glueSource"] == "curl -X POST");
}

TEST_CASE("executor_codec: any bytes of a job make valid JSON", "[wire]") {
  auto job = settle_job();
  job.param = std::string{"a\0\x01\x1F\x7F\xFF\xED\xA0\x80\"\\/<>&='", 17};
  const auto read = nlohmann::json::parse(encode_run(run_of(std::move(job))));
  CHECK(read["executorParams"].get<std::string>().find('\0') == std::string::npos);
  CHECK(read["executorParams"].get<std::string>().find("\x01\x1F\x7F") != std::string::npos);
}

TEST_CASE("executor_codec: a long source is sent whole", "[wire]") {
  auto job = settle_job();
  job.glue_source = std::make_shared<const std::string>(std::string(1000000, '"'));
  CHECK(nlohmann::json::parse(encode_run(run_of(std::move(job))))["glueSource"].get<std::string>().size() == 1000000);
}

TEST_CASE("executor_codec: encoded bytes of the small requests", "[wire]") {
  CHECK(encode_beat() == "{}");
  CHECK(encode_idle_beat(core::job_id{7}) == R"({"jobId":7})");
  CHECK(encode_kill(core::job_id{7}, core::log_id{0}) == R"({"jobId":7})");
  CHECK(encode_kill(core::job_id{7}, core::log_id{24}) == R"({"jobId":7,"logId":24})");
  CHECK(encode_log(core::log_id{4711}, core::time_point{}, 17) ==
        R"({"logDateTim":0,"logDateTime":0,"logId":4711,"fromLineNum":17})");
  CHECK(encode_log(core::log_id{4711}, core::from_ms(1700000000987), 1) ==
        R"({"logDateTim":1700000000000,"logDateTime":1700000000000,"logId":4711,"fromLineNum":1})");
  CHECK(encode_log(core::log_id{4711}, core::time_point{}, 17, core::log_bounds{5000}) ==
        R"({"logDateTim":0,"logDateTime":0,"logId":4711,"fromLineNum":17,"maxBytes":5000})");
  CHECK(encode_log(core::log_id{4711}, core::time_point{}, 1, core::log_bounds{5000, 10}) ==
        R"({"logDateTim":0,"logDateTime":0,"logId":4711,"fromLineNum":1,"maxBytes":5000,"tail":10})");
}
