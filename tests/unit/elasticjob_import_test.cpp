#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/elasticjob/elasticjob_import.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace ringmaster::config;

namespace {

using import_files = std::vector<declared_document>;

imported_jobs imported_from(const import_files& files, const std::string& group = "pay") {
  auto done = import_elasticjob(files, group, core::time_point{});
  if (!done)
    FAIL(done.error().context);
  return *std::move(done);
}

/// Returns the text without comments and empty lines.
std::string tables_of(const std::string& text) {
  std::string out;
  for (std::size_t pos = 0; pos < text.size();) {
    const auto end = text.find('\n', pos);
    const auto line = text.substr(pos, end - pos);
    if (!line.empty() && line.front() != '#')
      out += line + '\n';
    pos = end + 1;
  }
  return out;
}

bool has_text(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

bool has_remark(const imported_jobs& done, std::string_view part) {
  return std::any_of(done.remarks.begin(), done.remarks.end(), [&](const std::string& each) { return has_text(each, part); });
}

/// The stored configuration of EJ §22.6, VY-1, without the parts that this release does not support.
const std::string stored_yaml = R"(cron: 0/5 * * * * ?
description: ''
disabled: false
failover: false
jobName: J
jobParameter: ''
maxTimeDiffSeconds: -1
misfire: true
monitorExecution: true
overwrite: false
reconcileIntervalMinutes: 10
shardingItemParameters: 0=a,1=b
shardingTotalCount: 3
staticSharding: false
timeZone: GMT+08:00
)";

const std::string boot_properties = R"(# An application
server.port=8080
elasticjob.reg-center.server-lists=localhost:2181
elasticjob.reg-center.namespace=billing
elasticjob.tracing.type=RDB
elasticjob.jobs.sums.elastic-job-class=com.example.Sums
elasticjob.jobs.sums.sharding-total-count=2
elasticjob.jobs.sums.cron=0 0 1 * * ?
elasticjob.jobs.sums.shardingItemParameters: 0=a,\
    1=b
elasticjob.jobs.sums.job_parameter=day\u002d1
elasticjob.jobs.sums.failover=true
elasticjob.jobs.sums.maxTimeDiffSeconds = 5
elasticjob.jobs.sums.disabled=true
)";

const std::string boot_yaml = R"(server: {port: 8080}
elasticjob:
  regCenter:
    serverLists: localhost:2181
    namespace: billing
  tracing.type: RDB
  jobs:
    sums:
      elasticJobClass: com.example.Sums
      shardingTotalCount: 2
      cron: 0 0 1 * * ?
      shardingItemParameters: "0=a,1=b"
      job-parameter: day-1
      failover: yes
      maxTimeDiffSeconds: 5
      disabled: true
)";

const std::string boot_table = R"([[elastic_job]]
group = "pay"
namespace = "billing"
name = "sums"
handler = "com.example.Sums"
total = 2
schedule = { cron = "0 0 1 * * ?" }
item_params = "0=a,1=b"
param = "day-1"
max_time_diff = "5s"
failover = true
misfire = false # implied
enabled = false
)";

const std::string spring_head = R"(<?xml version="1.0" encoding="UTF-8"?>
<beans xmlns="http://www.springframework.org/schema/beans" xmlns:elasticjob="http://shardingsphere.apache.org/schema/elasticjob"
       xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
)";

} // namespace

TEST_CASE("import: a stored configuration of ElasticJob", "[config][elastic][import]") {
  const auto done = imported_from({{"J.yml", stored_yaml}});
  CHECK(tables_of(done.text) == R"([[elastic_job]]
group = "pay"
name = "J"
handler = "J"
total = 3
schedule = { cron = "0/5 * * * * ?" }
time_zone = "Etc/GMT-8"
item_params = "0=a,1=b"
)");
  CHECK(done.declared == 1);
  CHECK(done.left_out == 0);
  CHECK(has_remark(done, "J.yml:1: job 'J': The stored configuration does not name the class"));
  CHECK(has_text(done.text, "# From J.yml:1\n"));
}

TEST_CASE("import: keys that a stored configuration does not have are off, and the file says so", "[config][elastic][import]") {
  const auto done = imported_from({{"two.yml", "---\njobName: a\nshardingTotalCount: 1\n---\njobName: b\n"
                                               "shardingTotalCount: '2'\nmisfire: ~\nfailover: TRUE\nlabel:\n"}});
  CHECK(done.declared == 2);
  CHECK(tables_of(done.text) == R"([[elastic_job]]
group = "pay"
name = "a"
handler = "a"
total = 1
misfire = false # implied
[[elastic_job]]
group = "pay"
name = "b"
handler = "b"
total = 2
failover = true
misfire = false # implied
)");
  CHECK(has_remark(done, "two.yml: misfire is off in jobs that do not set it, as ElasticJob implies for this form of file "
                         "(2 jobs)"));
  CHECK(has_remark(done, "In ElasticJob failover has no effect without monitorExecution"));
}

TEST_CASE("import: settings of Spring Boot, as properties and as YAML", "[config][elastic][import]") {
  for (const auto& [name, text] : import_files{{"application.properties", boot_properties}, {"application.yml", boot_yaml}}) {
    INFO(name);
    const auto done = imported_from({{name, text}});
    CHECK(tables_of(done.text) == boot_table);
    CHECK(has_remark(done, name + ": elasticjob.reg-center is left out, except for its namespace"));
    CHECK(has_remark(done, name + ": elasticjob.tracing is left out"));
    CHECK(has_remark(done, "misfire is off in jobs that do not set it"));
    // Without --group, the namespace is the group.
    CHECK(has_text(imported_from({{name, text}}, "").text, "group = \"billing\"\n"));
  }
}

TEST_CASE("import: names in brackets, lists and other documents of Spring Boot", "[config][elastic][import]") {
  const auto done = imported_from({{"a.yml", R"(spring.application.name: x
---
elasticjob:
  jobs:
    "[my.job]":
      elasticJobClass: C
      shardingTotalCount: 1
      jobListenerTypes: [one, two]
      jobBootstrapBeanName: starter
    under_score: {elasticJobClass: D, shardingTotalCount: 1, jobErrorHandlerType: LOG, jobExecutorServiceHandlerType: CPU}
)"}});
  CHECK(has_text(done.text, "name = \"my.job\"\n"));
  CHECK(has_text(done.text, "\nlisteners = \"one,two\"\n"));
  CHECK(has_remark(done, "job 'under_score': Spring Boot leaves out some characters"));
  CHECK(has_remark(done, "Only executors with listeners of these names get items"));
  CHECK_FALSE(has_text(done.text, "error_handler"));
  CHECK_FALSE(has_text(done.text, "pool"));
}

TEST_CASE("import: Spring XML with beans, registry centre and placeholders", "[config][elastic][import]") {
  const auto xml = spring_head + R"(
  <elasticjob:zookeeper id="center" server-lists="localhost:2181" namespace="${ns:billing}"/>
  <elasticjob:rdb-tracing id="trace" data-source-ref="data"/>
  <bean id="body" class="com.example.Sums"/>
  <beans profile="x">
    <elasticjob:job id="${sums.id}" job-ref="body" registry-center-ref="center" tracing-ref="trace" cron="0/10 * * * * ?"
                    sharding-total-count="${sums.total}" sharding-item-parameters="0=a &amp; b" label="ssd"
                    static-sharding="true"/>
  </beans>
</beans>
)";
  const import_files files{{"jobs.xml", xml}, {"job.properties", "sums.id=sums\nsums.total = 3\n"}};
  const auto done = imported_from(files);
  CHECK(tables_of(done.text) == R"([[elastic_job]]
group = "pay"
namespace = "billing"
name = "sums"
handler = "com.example.Sums"
total = 3
schedule = { cron = "0/10 * * * * ?" }
item_params = "0=a & b"
static = true
)");
  CHECK(has_text(done.text, "# label = \"ssd\"\n"));
  CHECK(has_remark(done, "jobs.xml: rdb-tracing is left out"));
  CHECK(has_remark(done, "jobs.xml: tracing-ref is left out"));
  CHECK(has_remark(done, "job.properties: no jobs"));

  const auto refused = import_elasticjob(std::span{files}.first(1), "pay", core::time_point{});
  REQUIRE_FALSE(refused);
  CHECK(has_text(refused.error().context, "\"${sums.id}\" has a placeholder without a value in these files; write its value"));
}

TEST_CASE("import: item parameters that ElasticJob ignores are left out", "[config][elastic][import]") {
  const std::string yaml = "jobName: a\nshardingTotalCount: 2\nshardingItemParameters: 0=a,1=b,2=c,0=d,-1=e\n";
  const auto done = imported_from({{"j.yaml", yaml}});
  CHECK(has_text(done.text, "item_params = \"0=d,1=b\"\n"));
  CHECK(has_text(done.text, "parameters that ElasticJob ignores are left out"));
}

TEST_CASE("import: jobs that this release does not support are comments, without their secrets", "[config][elastic][import]") {
  const auto xml = spring_head + R"(
  <elasticjob:job id="shell" job-type="PYTHON" registry-center-ref="c" sharding-total-count="1">
    <props><prop key="script.command.line">rm -rf x</prop></props>
  </elasticjob:job>
  <elasticjob:job id="flow" job-ref="f" registry-center-ref="c" sharding-total-count="1">
    <props><prop key="streaming.process">true</prop></props>
  </elasticjob:job>
  <elasticjob:job id="mail" job-ref="m" registry-center-ref="c" sharding-total-count="1" job-error-handler-type="EMAIL">
    <props><prop key="email.host">h</prop><prop key="email.from">a@b.example</prop><prop key="email.to">c@d.example</prop>
      <prop key="own.password">geheim</prop></props>
  </elasticjob:job>
</beans>
)";
  const auto done = imported_from({{"j.xml", xml}});
  CHECK(done.declared == 2);
  CHECK(done.left_out == 1);
  CHECK(tables_of(done.text) == "[[elastic_job]]\ngroup = \"pay\"\nname = \"flow\"\nhandler = \"f\"\n"
                                "type = \"dataflow\"\ntotal = 1\nstreaming = true\n"
                                "[[elastic_job]]\ngroup = \"pay\"\nname = \"mail\"\nhandler = \"m\"\ntotal = 1\n"
                                "error_handler = \"EMAIL\"\nprops = { \"email.from\" = \"a@b.example\", \"email.host\" = \"h\", "
                                "\"email.to\" = \"c@d.example\" }\n");
  CHECK(has_text(done.text, "# name = \"shell\"\n"));
  CHECK(has_text(done.text, "# Left out: jobs of type PYTHON are not supported by this release.\n"));
  CHECK(has_text(done.text, "# props are not supported by this release: own.password.\n"));
  CHECK_FALSE(has_text(done.text, "geheim"));
  CHECK(has_remark(done, "j.xml:5: job 'shell': left out: jobs of type PYTHON"));
}

TEST_CASE("import: script and HTTP jobs keep their properties", "[config][elastic][import]") {
  const auto xml = spring_head + R"(
  <elasticjob:job id="shell" job-type="SCRIPT" registry-center-ref="c" sharding-total-count="1">
    <props><prop key="script.command.line">/opt/a.sh 'b c'</prop><prop key="own.key">geheim</prop></props>
  </elasticjob:job>
</beans>
)";
  const auto boot = R"(elasticjob.jobs.call.elasticJobType=http
elasticjob.jobs.call.shardingTotalCount=2
elasticjob.jobs.call.props.http.uri=http://h/x
elasticjob.jobs.call.props.http.method=POST
elasticjob.jobs.call.props.http.read.timeout.milliseconds=100
)";
  const auto stored = "jobName: st\nshardingTotalCount: 1\nprops:\n  script.command.line: /opt/b.sh\n";
  const auto done = imported_from({{"j.xml", xml}, {"b.properties", boot}, {"s.yml", stored}});
  CHECK(done.declared == 3);
  CHECK(has_text(done.text,
                 "[[elastic_job]]\ngroup = \"pay\"\nname = \"shell\"\ntype = \"script\"\ntotal = 1\n"
                 "props = { \"script.command.line\" = \"/opt/a.sh 'b c'\" }\n"));
  CHECK(has_text(done.text, "name = \"call\"\ntype = \"http\"\ntotal = 2\n"));
  CHECK(has_text(done.text,
                 "props = { \"http.method\" = \"POST\", \"http.read.timeout.milliseconds\" = \"100\", "
                 "\"http.uri\" = \"http://h/x\" }\n"));
  CHECK(has_text(done.text, "name = \"st\"\ntype = \"script\"\n"));
  CHECK(has_text(done.text, "# The program must lie below a folder of executor.elastic_scripts.\n"));
  CHECK(has_text(done.text, "# The address must be among those of executor.http_allowed.\n"));
  CHECK(has_text(done.text, "# props are not supported by this release: own.key.\n"));
  CHECK_FALSE(has_text(done.text, "geheim"));

  const import_files wrong{{"w.properties", "elasticjob.jobs.w.elasticJobType=SCRIPT\nelasticjob.jobs.w.shardingTotalCount=1\n"}};
  const auto refused = import_elasticjob(wrong, "pay", core::time_point{});
  REQUIRE_FALSE(refused);
  CHECK(has_text(refused.error().context, "job 'w': props: script.command.line: missing; a job of type script needs it"));
}

TEST_CASE("import: time zones of Java become names of IANA", "[config][elastic][import]") {
  const auto zone_line = [](const std::string& zone) {
    const auto done = import_elasticjob(
      import_files{{"z.yml", "jobName: z\nshardingTotalCount: 1\ncron: 0 0 1 * * ?\ntimeZone: " + zone + '\n'}}, "pay",
      core::time_point{});
    if (!done)
      return done.error().context;
    const auto begin = done->text.find("\ntime_zone = ") + 1;
    return done->text.substr(begin, done->text.find('\n', begin) - begin);
  };
  CHECK(zone_line("GMT+8") == "time_zone = \"Etc/GMT-8\"");
  CHECK(zone_line("GMT-0300") == "time_zone = \"Etc/GMT+3\"");
  CHECK(zone_line("GMT+00:00") == "time_zone = \"UTC\"");
  CHECK(zone_line("Asia/Shanghai") == "time_zone = \"Asia/Shanghai\"");
  for (const std::string wrong : {"GMT+05:30", "GMT+15", "GMT+8:0", "GMT+99", "Mars/Base", "GMT+-8"})
    CHECK(has_text(zone_line(wrong), "z.yml:4: job 'z': timeZone: \"" + wrong + "\" has no name among the time zones of IANA"));
}
