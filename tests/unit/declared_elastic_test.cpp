#include <algorithm>
#include <set>

#include "config/declared/declared_file.hpp"
#include "config/declared/declared_writer.hpp"
#include "core/elastic/elastic_fields.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace ringmaster::config;
using namespace std::chrono_literals;

namespace {

const std::string small_elastic =
  "[[elastic_job]]\ngroup = \"pay-worker\"\nname = \"sums\"\nhandler = \"sum\"\ntotal = 3\n";

core::declared_elastic_job elastic_accepted(const std::string& text) {
  auto parsed = parse_declared(text, "e.toml", "test");
  INFO(text);
  if (!parsed)
    FAIL(parsed.error().context);
  REQUIRE(parsed->elastic_jobs.size() == 1);
  return parsed->elastic_jobs[0];
}

std::string elastic_refusal(const std::string& text) {
  auto parsed = parse_declared(text, "e.toml", "test");
  if (parsed)
    return "accepted";
  CHECK(parsed.error().code == core::errc::invalid_argument);
  return parsed.error().context;
}

} // namespace

TEST_CASE("declared file: an elastic job with its defaults", "[config][elastic]") {
  const auto job = elastic_accepted(small_elastic);
  CHECK(job.group == "pay-worker");
  CHECK(job.what.name == "sums");
  CHECK(job.what.handler == "sum");
  CHECK(job.what.total == 3);
  CHECK(job.what.kind == "simple");
  CHECK(job.what.options == core::elastic::elastic_options{});
  CHECK(job.enabled);
  CHECK(job.where == "e.toml:1");
  CHECK(core::full_name(job.what) == "sums");
}

TEST_CASE("declared file: an elastic job with all options", "[config][elastic]") {
  const auto job = elastic_accepted(small_elastic + R"(
namespace = "billing"
type = "DATAFLOW"
streaming = true
schedule = { cron = "0 0 1 * * ?" }
time_zone = "Asia/Shanghai"
start_at = 2026-12-01T08:00:00+08:00
end_at = 2027-12-01T08:00:00+08:00
jitter_ms = 50
item_params = { 0 = "a,b", 2 = "c=d" }
param = "day"
strategy = "STICKY"
order = "asc_natural"
label = "ssd"
static = true
static_fallback = "Borrow"
max_time_diff = "200ms"
failover = true
failover_max = 5
misfire = false
misfire_max_age = 90
timeout = "30m"
cancel_grace = "1s"
fence_mode = "orphan"
trigger_policy = "queue"
description = "Sums of a day"
monitor_execution = true
reconcile = 10
overwrite = true
enabled = false
)");
  const auto& options = job.what.options;
  CHECK(job.what.name_space == "billing");
  CHECK_FALSE(job.enabled);
  CHECK(options.schedule == core::schedule_type::cron);
  CHECK(options.schedule_conf == "0 0 1 * * ?");
  CHECK(options.timing.time_zone == "Asia/Shanghai");
  CHECK(options.timing.jitter_ms == 50);
  CHECK(core::elastic::parse_item_params(options.item_params).value()
        == core::elastic::item_params{{0, "a,b"}, {2, "c=d"}});
  CHECK(options.order == core::elastic::host_order::asc_natural);
  CHECK(options.static_fallback == core::elastic::static_fallback::borrow);
  CHECK(options.max_time_diff == 200ms);
  CHECK(job.what.kind == "dataflow");
  CHECK(options.streaming);
  CHECK(options.failover);
  CHECK(options.failover_max == 5);
  CHECK_FALSE(options.misfire);
  CHECK(options.misfire_max_age == 90s);
  CHECK(options.timeout == 30min);
  CHECK(options.cancel_grace == 1s);
  CHECK(options.fence_mode == core::elastic::fence_mode::orphan);
  CHECK(options.trigger_policy == core::elastic::request_policy::queue);
  SECTION("written, it reads back unchanged") {
    auto again = elastic_accepted(declared_text(job));
    CHECK(again.what == job.what);
    CHECK(core::content_hash(again) == core::content_hash(job));
    CHECK_FALSE(core::declares_enabled(core::content_hash(job)));
  }
}

TEST_CASE("declared file: an elastic job in ElasticJob's words", "[config][elastic]") {
  for (const bool camel : {true, false}) {
    const auto job = elastic_accepted(camel ? R"(
[[elastic_job]]
group = "pay-worker"
jobName = "sums"
elasticJobClass = "sum"
elasticJobType = "SIMPLE"
shardingTotalCount = 2
cron = "0/5 * * * * ?"
shardingItemParameters = "0=a,1=b"
jobParameter = "p"
maxTimeDiffSeconds = -1
reconcileIntervalMinutes = -1
jobShardingStrategyType = "ODEVITY"
monitorExecution = true
staticSharding = true
disabled = true
)"
                                            : R"(
[[elastic_job]]
group = "pay-worker"
job-name = "sums"
elastic-job-class = "sum"
elastic-job-type = "simple"
sharding-total-count = 2
cron = "0/5 * * * * ?"
sharding-item-parameters = "0=a,1=b"
job-parameter = "p"
max-time-diff-seconds = -1
reconcile-interval-minutes = -1
job-sharding-strategy-type = "ODEVITY"
monitor-execution = true
static-sharding = true
disabled = true
)");
    CHECK(job.what.name == "sums");
    CHECK(job.what.handler == "sum");
    CHECK(job.what.total == 2);
    CHECK(job.what.options.schedule_conf == "0/5 * * * * ?");
    CHECK(job.what.options.item_params == "0=a,1=b");
    CHECK(job.what.options.param == "p");
    CHECK(job.what.options.strategy == "ODEVITY");
    CHECK(job.what.options.is_static);
    CHECK_FALSE(job.what.options.max_time_diff);
    CHECK_FALSE(job.enabled);
  }
}

TEST_CASE("declared file: mistakes in elastic jobs have a line", "[config][elastic]") {
  const auto with = [](const std::string& line) { return elastic_refusal(small_elastic + line + '\n'); };
  CHECK(with("wieght = 3").starts_with("e.toml:6: unknown key 'wieght'"));
  CHECK(with("cron = \"98 * * * * ?\"").starts_with("e.toml:6: cron: invalid cron expression"));
  CHECK(with("timeZone = \"Mars/Base\"").starts_with("e.toml:6: timeZone: "));
  CHECK(with("timeZone = \"Asia/Shanghai\"\nschedule = { rate = \"5s\" }")
        == "e.toml:6: timeZone: only a cron schedule has a time zone");
  CHECK(with("shardingTotalCount = 3") == "e.toml:6: shardingTotalCount: is the same as total");
  CHECK(with("item_params = \"0=a,x=b\"").starts_with("e.toml:6: item_params: "));
  CHECK(with("item_params = { x = \"a\" }") == "e.toml:6: item_params: \"x\" is not the number of an item");
  CHECK(with("cron = \"0 0 1 * * ?\"\nschedule = { rate = \"5s\" }") == "e.toml:6: cron: excludes schedule");
  CHECK(
    with("order = \"random\"").starts_with("e.toml:6: order: \"random\" is unknown; expected one of desc-string, asc-natural"));
  CHECK(with("monitorExecution = false").starts_with("e.toml:6: monitorExecution: cannot be switched off"));
  CHECK(with("timeout = \"soon\"").starts_with("e.toml:6: timeout: expected a duration"));
  CHECK(with("timeout = -1").starts_with("e.toml:6: timeout: expected a duration"));
  CHECK(with("failover_max = 255") == "e.toml:6: failover_max: expected a whole number from 0 to 254");
  CHECK(with("enabled = true\ndisabled = false") == "e.toml:7: disabled: excludes enabled");
  CHECK(with("type = \"weekly\"") == "e.toml:6: type: \"weekly\" is unknown; expected simple or dataflow");
  CHECK(with(small_elastic) == "e.toml:6: elastic_job 'sums' is declared twice, first at e.toml:1");
  for (const std::string total : {"0", "100001", "\"3\""})
    CHECK(elastic_refusal("[[elastic_job]]\ngroup = \"pay-worker\"\nname = \"sums\"\nhandler = \"h\"\ntotal = " + total + '\n')
          == "e.toml:5: total: expected a whole number from 1 to 100000");
  CHECK(elastic_refusal("[[elastic_job]]\ngroup = \"pay-worker\"\nname = \"a/b\"\n")
        == "e.toml:1: handler: missing; it is required\ne.toml:1: total: missing; it is required\n"
           "e.toml:3: name: must not contain /");
}

TEST_CASE("declared file: keys of elastic jobs that nothing implements are refused", "[config][elastic]") {
  for (const std::string line :
       {"props = { a = \"b\" }", "listeners = \"l\"", "jobListenerTypes = \"l\"", "once_listeners = \"l\"",
        "started_timeout = 3", "pool = \"CPU\"", "jobExecutorServiceHandlerType = \"CPU\"", "error_handler = \"LOG\"",
        "job-error-handler-type = \"LOG\"", "retry = 1", "calendar = \"c\"", "alarm_email = \"a@b.example\""})
    CHECK(elastic_refusal(small_elastic + line + '\n')
          == "e.toml:6: " + line.substr(0, line.find(' ')) + ": not supported by this release");
  for (const std::string type : {"SCRIPT", "http"})
    CHECK(elastic_refusal(small_elastic + "type = \"" + type + "\"\n").ends_with("expected simple or dataflow"));
}

TEST_CASE("the hash of an elastic job changes with each option", "[elastic]") {
  core::declared_elastic_job job;
  job.what.name = "sums";
  std::set<std::string> hashes{core::content_hash(job)};
  for (const auto& field : core::elastic::elastic_fields) {
    auto other = job;
    const auto number = core::number_of(field.default_value());
    if (field.kind == core::option_kind::text)
      field.set(other.what.options, std::string{"x"});
    else if (field.kind == core::option_kind::choice)
      field.set(other.what.options, std::string{field.names.back()});
    else
      field.set(other.what.options, std::int64_t{field.kind == core::option_kind::flag ? 1 - number : number + 77});
    INFO(field.name);
    CHECK(hashes.insert(core::content_hash(other)).second);
  }
  job.enabled = false;
  CHECK(core::content_hash(job) == *std::find_if(hashes.begin(), hashes.end(), [&](const auto& hash) {
          return core::content_hash(job).starts_with(hash);
        }) + "-off");
}
