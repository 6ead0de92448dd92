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
  CHECK(with("item_params = { 0 = \"a\", 00 = \"b\" }") == "e.toml:6: item_params: item 0 is given twice");
  CHECK(with("timeout = \"1s\"\nshardingItemParameters = \"3=a\"") ==
        "e.toml:7: shardingItemParameters: invalid item parameters: the job has no item 3, only items 0 to 2");
  CHECK(with("timeout = \"1s\"\nstrategy = \"FOO\"").starts_with("e.toml:7: strategy: unknown strategy \"FOO\"; expected AVG_"));
  CHECK(with("streaming = true") ==
        "e.toml:6: streaming: only jobs of type dataflow have it, and this one has the type simple");
  CHECK(with("listeners = \",\"") == "e.toml:6: listeners: \",\" has an empty name");
  CHECK(with("cron = \"0 0 1 * * ?\"\nschedule = { rate = \"5s\" }") == "e.toml:6: cron: excludes schedule");
  CHECK(
    with("order = \"random\"").starts_with("e.toml:6: order: \"random\" is unknown; expected one of desc-string, asc-natural"));
  CHECK(with("monitorExecution = false").starts_with("e.toml:6: monitorExecution: cannot be switched off"));
  CHECK(with("timeout = \"soon\"").starts_with("e.toml:6: timeout: expected a duration"));
  CHECK(with("timeout = -1").starts_with("e.toml:6: timeout: expected a duration"));
  CHECK(with("failover_max = 255") == "e.toml:6: failover_max: expected a whole number from 0 to 254");
  CHECK(with("enabled = true\ndisabled = false") == "e.toml:7: disabled: excludes enabled");
  CHECK(with("type = \"weekly\"") == "e.toml:6: type: \"weekly\" is unknown; expected simple, dataflow, script or http");
  CHECK(with(small_elastic) == "e.toml:6: elastic_job 'sums' is declared twice, first at e.toml:1");
  for (const std::string total : {"0", "100001", "\"3\""})
    CHECK(elastic_refusal("[[elastic_job]]\ngroup = \"pay-worker\"\nname = \"sums\"\nhandler = \"h\"\ntotal = " + total + '\n')
          == "e.toml:5: total: expected a whole number from 1 to 100000");
  CHECK(elastic_refusal("[[elastic_job]]\ngroup = \"pay-worker\"\nname = \"a/b\"\n")
        == "e.toml:1: handler: missing; it is required\ne.toml:1: total: missing; it is required\n"
           "e.toml:3: name: must not contain /");
}

TEST_CASE("declared file: keys of elastic jobs that nothing implements are refused", "[config][elastic]") {
  for (const std::string line : {"retry = 1", "calendar = \"c\""})
    CHECK(elastic_refusal(small_elastic + line + '\n') ==
          "e.toml:6: " + line.substr(0, line.find(' ')) + ": not supported by this release");
}

TEST_CASE("declared file: pools and error handlers have built-in names and those of programs", "[config][elastic]") {
  for (const std::string key : {"pool", "jobExecutorServiceHandlerType", "job-executor-thread-pool-size-provider-type"})
    CHECK(elastic_accepted(small_elastic + key + " = \"single_thread\"\n").what.options.pool == "SINGLE_THREAD");
  for (const std::string key : {"error_handler", "jobErrorHandlerType", "job-error-handler-type"})
    CHECK(elastic_accepted(small_elastic + key + " = \"Throw\"\n").what.options.error_handler == "THROW");
  const auto own = elastic_accepted(small_elastic + "pool = \"half\"\nerror_handler = \"pager\"\n"
                                                    "props = { \"custom.pager.key\" = \"k\" }\n");
  CHECK(own.what.options.pool == "half");
  CHECK(own.what.options.error_handler == "pager");
  CHECK(elastic_accepted(declared_text(own)).what == own.what);
}

TEST_CASE("declared file: error handlers that notify users need their target", "[config][elastic]") {
  CHECK(elastic_refusal(small_elastic + "error_handler = \"EMAIL\"\n")
        == "e.toml:6: error_handler: email.to: missing; the error handler EMAIL needs it");
  CHECK(elastic_refusal(small_elastic + "error_handler = \"DINGTALK\"\nprops = { \"dingtalk.secret\" = \"s\" }\n")
        == "e.toml:7: props: dingtalk.webhook: missing; the error handler DINGTALK needs it, or error.channel");
  CHECK(elastic_refusal(small_elastic + "error_handler = \"EMAIL\"\nprops = { \"email.to\" = \"a@b.example,ann\" }\n")
        == "e.toml:7: props: email.to: invalid e-mail address \"ann\"");
  CHECK(elastic_accepted(small_elastic + "error_handler = \"WECHAT\"\nprops = { \"error.channel\" = \"ops\" }\n")
          .what.options.error_handler
        == "WECHAT");
}

TEST_CASE("declared file: script and HTTP jobs have properties instead of a handler", "[config][elastic]") {
  const std::string head = "[[elastic_job]]\ngroup = \"pay-worker\"\nname = \"sums\"\ntotal = 3\n";
  const auto script = elastic_accepted(head + "type = \"SCRIPT\"\nprops = { \"script.command.line\" = \"/opt/a.sh 'b c'\" }\n");
  CHECK(script.what.kind == "script");
  CHECK(script.what.handler == "SCRIPT");
  CHECK(script.what.props == R"({"script.command.line":"/opt/a.sh 'b c'"})");

  // A list of words, and dotted names.
  const auto list = elastic_accepted(head +
                                     "elasticJobType = \"script\"\n[elastic_job.props]\n"
                                     "script.command.line = [\"/opt/a.sh\", \"b c\"]\n");
  CHECK(list.what.props == script.what.props);

  const auto http = elastic_accepted(head + R"(type = "http"
[elastic_job.props]
"http.uri" = "https://h/x?y=1"
http.read.timeout.milliseconds = 100
http.fail.on.status = false
)");
  CHECK(http.what.handler == "HTTP");
  CHECK(http.what.props == R"({"http.fail.on.status":"false","http.read.timeout.milliseconds":"100",)"
                           R"("http.uri":"https://h/x?y=1"})");

  const auto stream = elastic_accepted(small_elastic + "type = \"dataflow\"\nprops = { \"streaming.process\" = true }\n");
  CHECK(stream.what.options.streaming);
  CHECK(stream.what.props.empty());

  // Exported and declared again, they are the same.
  for (const auto* job : {&script, &http}) {
    const auto again = elastic_accepted(declared_text(*job));
    CHECK(again.what == job->what);
  }

  const auto with = [&](const std::string& lines) { return elastic_refusal(head + lines + '\n'); };
  CHECK(with("type = \"script\"") == "e.toml:1: props: script.command.line: missing; a job of type script needs it");
  CHECK(with("type = \"script\"\nhandler = \"h\"\nprops = { script.command.line = \"/a\" }") ==
        "e.toml:6: handler: excludes type script");
  CHECK(with("handler = \"HTTP\"") == "e.toml:5: handler: \"HTTP\" is the handler of a type; write the type");
  CHECK(with("type = \"http\"\nprops = 3") == "e.toml:6: props: expected a table of texts, numbers and flags");
  CHECK(with("type = \"http\"\nprops = { http.uri = \"http://h\", http.url = \"x\" }") ==
        "e.toml:6: props: http.url: unknown property");
  CHECK(with("type = \"http\"\nprops = { http.uri = [\"http://h\"] }")
          .starts_with("e.toml:6: props: http.uri: expected a text, a whole number, true or false"));
  CHECK(with("type = \"script\"\nprops = { script.command.line = [1] }")
          .starts_with("e.toml:6: props: script.command.line: expected a text, or a list of texts"));
  CHECK(with("type = \"script\"\nprops = { script.command.line = \"/a\", \"script.command\" = { line = \"/b\" } }")
          .starts_with("e.toml:6: props: script.command.line: is given twice"));
  CHECK(with("handler = \"h\"\nstreaming = true\nprops = { streaming.process = true }") ==
        "e.toml:7: props: streaming.process: is the same as streaming");
}

TEST_CASE("declared file: listeners of elastic jobs, with their time-outs in ElasticJob's unit", "[config][elastic]") {
  const auto options_of = [](const std::string& lines) { return elastic_accepted(small_elastic + lines).what.options; };
  auto options = options_of(
    "listeners = \"trace, audit\"\nonce_listeners = \"open\"\nstarted_timeout = 3\n"
    "completed_timeout = \"200ms\"\n");
  CHECK(options.listeners == "trace, audit");
  CHECK(options.once_listeners == "open");
  CHECK(options.started_timeout == std::chrono::seconds{3});
  CHECK(options.completed_timeout == std::chrono::milliseconds{200});
  options = options_of("jobListenerTypes = \"a\"\nstartedTimeoutMilliseconds = 1500\ncompleted-timeout-milliseconds = -1\n");
  CHECK(options.listeners == "a");
  CHECK(options.started_timeout == std::chrono::milliseconds{1500});
  CHECK(options.completed_timeout == std::chrono::milliseconds{0});
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
