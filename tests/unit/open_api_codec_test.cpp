#include "protocol/wire/xxl/open_api_codec.hpp"

#include <string>

#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace protocol::wire;

TEST_CASE("open api: a job with every field", "[wire]") {
  auto job = parse_open_job(R"({"id":7,"jobGroup":3,"name":"settle","author":"ann","alarmEmail":"a@b.c","scheduleType":"CRON",
    "scheduleConf":"0 0 1 * * ?","misfireStrategy":"DO_NOTHING","executorRouteStrategy":"FIRST","executorHandler":" settle ",
    "executorParam":"p","executorBlockStrategy":"SERIAL_EXECUTION","executorTimeout":9,"executorFailRetryCount":"2",
    "glueType":"BEAN","glueSource":"s","glueRemark":"first","unknown":{"a":[1]}})");
  REQUIRE(job);
  const auto& draft = job->draft;
  CHECK(job->id == core::job_id{7});
  CHECK(draft.group == core::group_id{3});
  CHECK(draft.name == "settle");
  CHECK(draft.author == "ann");
  CHECK(draft.alarm_email == "a@b.c");
  CHECK(draft.schedule_type == "CRON");
  CHECK(draft.schedule_conf == "0 0 1 * * ?");
  CHECK(draft.misfire == "DO_NOTHING");
  CHECK(draft.route == "FIRST");
  CHECK(draft.handler == "settle");
  CHECK(draft.param == "p");
  CHECK(draft.block == "SERIAL_EXECUTION");
  CHECK(draft.timeout_s == 9);
  CHECK(draft.retry_count == 2);
  CHECK(draft.glue_type == "BEAN");
  CHECK(draft.glue_source == "s");
  CHECK(draft.glue_remark == "first");
}

TEST_CASE("open api: absent fields are empty or 0, and a missing schedule differs from an empty one", "[wire]") {
  auto job = parse_open_job("{}");
  REQUIRE(job);
  CHECK(job->id == core::job_id{});
  CHECK(job->draft.group == core::group_id{});
  CHECK_FALSE(job->draft.schedule_conf);
  CHECK(parse_open_job(R"({"scheduleConf":""})")->draft.schedule_conf == "");
  CHECK_FALSE(parse_open_job(R"({"scheduleConf":null})")->draft.schedule_conf);
}

TEST_CASE("open api: malformed bodies are refused with the field's name", "[wire]") {
  auto refusal = [](std::string_view body) {
    auto job = parse_open_job(body);
    return job ? std::string{"accepted"} : job.error().context;
  };
  CHECK(refusal("") == "openapi invoke error: the body must be a JSON object");
  CHECK(refusal("[]") == "openapi invoke error: the body must be a JSON object");
  CHECK(refusal(R"({"name":["a"]})") == "openapi invoke error: name must be a string");
  CHECK(refusal(R"({"jobGroup":{}})") == "openapi invoke error: jobGroup must be a number");
  CHECK(refusal(R"({"jobGroup":99999999999})") == "openapi invoke error: jobGroup must be a number of 32 bits");
  CHECK(refusal(R"({"executorTimeout":"x"})") == "openapi invoke error: executorTimeout must be a number of 32 bits");
  CHECK(refusal(R"({"name":"a")").starts_with("openapi invoke error: "));
}

TEST_CASE("open api: ids and triggers", "[wire]") {
  CHECK(parse_open_job_id(R"({"id":"12"})") == core::job_id{12});
  CHECK(parse_open_job_id("{}") == core::job_id{});
  CHECK_FALSE(parse_open_job_id("12"));

  auto own = parse_open_trigger(R"({"id":1})");
  REQUIRE(own);
  CHECK_FALSE(own->param);
  CHECK(own->addresses.empty());
  auto other = parse_open_trigger(R"({"id":1,"executorParam":"","addressList":"http://a:1/,http://b:2/"})");
  REQUIRE(other);
  CHECK(other->param == "");
  CHECK(other->addresses == std::vector<std::string>{"http://a:1/,http://b:2/"});
  CHECK(parse_open_trigger(R"({"id":1,"addressList":"  "})")->addresses.empty());
}
