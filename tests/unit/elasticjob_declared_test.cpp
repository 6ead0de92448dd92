// The reader of declared files takes what the import of ElasticJob writes.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "config/declared/declared_file.hpp"
#include "config/declared/elastic_keys.hpp"
#include "config/elasticjob/elasticjob_import.hpp"
#include "core/elastic/item_params.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace ringmaster::config;

namespace {

std::vector<core::declared_elastic_job> import_and_declare(const std::string& name, const std::string& text) {
  const std::vector<declared_document> files{{name, text}};
  const auto done = import_elasticjob(files, "pay-worker", core::time_point{});
  if (!done)
    FAIL(done.error().context);
  INFO(done->text);
  auto declared = parse_declared(done->text, "imported.toml", "test");
  if (!declared)
    FAIL(declared.error().context);
  CHECK(declared->elastic_jobs.size() == done->declared);
  return std::move(declared->elastic_jobs);
}

} // namespace

TEST_CASE("import: a declared file of all options reads back as the same job", "[config][elastic][import]") {
  const auto jobs = import_and_declare("all.yml", R"(jobName: "Summe \"x\" 邮件"
shardingTotalCount: 3
cron: 0/5 * * * * ?
timeZone: GMT+08:00
shardingItemParameters: 0=a,1=b
jobParameter: "line\n\ttab \"end\" # no comment"
failover: true
misfire: false
maxTimeDiffSeconds: 90
reconcileIntervalMinutes: 10
jobShardingStrategyType: ROUND_ROBIN
jobExecutorThreadPoolSizeProviderType: SINGLE_THREAD
jobErrorHandlerType: EMAIL
jobListenerTypes: [one, two]
description: Sums
props: {email.to: ops@x.example}
disabled: true
overwrite: true
label: ssd
staticSharding: true
)");
  REQUIRE(jobs.size() == 1);
  const auto& job = jobs[0];
  CHECK(job.group == "pay-worker");
  CHECK_FALSE(job.enabled);
  CHECK(job.what.name == "Summe \"x\" 邮件");
  CHECK(job.what.handler == job.what.name);
  CHECK(job.what.total == 3);
  core::elastic::elastic_options expected;
  expected.schedule = core::schedule_type::cron;
  expected.schedule_conf = "0/5 * * * * ?";
  expected.timing.time_zone = "Etc/GMT-8";
  expected.item_params = "0=a,1=b";
  expected.param = "line\n\ttab \"end\" # no comment";
  expected.strategy = "ROUND_ROBIN";
  expected.is_static = true;
  expected.max_time_diff = std::chrono::seconds{90};
  expected.failover = true;
  expected.listeners = "one,two";
  expected.misfire = false;
  expected.description = "Sums";
  expected.pool = "SINGLE_THREAD";
  expected.error_handler = "EMAIL";
  CHECK(job.what.options == expected);
  CHECK(job.what.props == R"({"email.to":"ops@x.example"})");
}

TEST_CASE("import: declared files of every form read back", "[config][elastic][import]") {
  CHECK(import_and_declare("a.properties",
                           "elasticjob.jobs.a.elasticJobClass=C\nelasticjob.jobs.a.shardingTotalCount=1\n"
                           "elasticjob.jobs.b.elasticJobType=OTHER\nelasticjob.jobs.b.shardingTotalCount=1\n"
                           "elasticjob.reg-center.namespace=ns\n")
          .at(0)
          .what.name_space
        == "ns");
  CHECK(import_and_declare("a.xml", "<b xmlns:e=\"http://shardingsphere.apache.org/schema/elasticjob\">"
                                    "<e:job id=\"x\" job-ref=\"y\" registry-center-ref=\"z\" sharding-total-count=\"1\"/></b>")
          .at(0)
          .what.options
        == core::elastic::elastic_options{});
}

TEST_CASE("import: it leaves out exactly the keys that declared files refuse", "[config][elastic][import]") {
  for (const std::string_view name : {"props", "pool", "error_handler", "listeners", "once_listeners", "started_timeout",
                                      "completed_timeout", "streaming", "alarm_email", "strategy", "label", "static", "failover",
                                      "misfire", "max_time_diff", "item_params", "param", "description", "enabled"}) {
    INFO(name);
    // No key has a date: a known one is refused for its value.
    const auto text = "[[elastic_job]]\ngroup = \"pay-worker\"\nname = \"n\"\nhandler = \"h\"\ntotal = 1\n" +
                      std::string{name} + " = 1979-05-27\n";
    const auto declared = parse_declared(text, "f", "test");
    const auto refusal = std::string{name} + ": not supported by this release";
    const bool is_refused = !declared && declared.error().context.ends_with(refusal);
    CHECK(is_later_elastic_key(name) == is_refused);
  }
}
