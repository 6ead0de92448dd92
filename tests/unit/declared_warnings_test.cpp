#include "core/editing/declared_warnings.hpp"

#include "tests/support/catch.hpp"

using namespace ringmaster::core;

namespace {

declared_job declared(schedule_type type, const char* conf) {
  declared_job job;
  job.group = "pay";
  job.key = "settle";
  job.schedule = type;
  job.schedule_conf = conf;
  job.where = "jobs.toml:3";
  return job;
}

/// Returns the warnings of an apply that makes this change to the job.
std::vector<std::string> warnings(const declared_job& job, bool has_mail = true, change_kind kind = change_kind::create) {
  declared_set set;
  set.jobs.push_back(job);
  schedule_rules rules{zone{}};
  deploy_report report;
  report.changes = {{change_kind::unchanged, "group pay", {}}, {kind, "job pay/settle", {}}};
  add_warnings(report, warnings_of(set, has_mail, rules, from_ms(1'700'000'000'000)));
  return report.warnings;
}

} // namespace

TEST_CASE("a warning is given for a job that fires less than once an hour without misfire", "[unit][declared]") {
  for (const char* conf : {"0 0 2 * * ?", "0 0 0/2 * * ?", "0 0 0 1 1 ? *"}) {
    CAPTURE(conf);
    const auto said = warnings(declared(schedule_type::cron, conf));
    REQUIRE(said.size() == 1);
    CHECK(said[0].starts_with("jobs.toml:3: job pay/settle: fires less than once an hour and does not set misfire: "));
  }
  CHECK(warnings(declared(schedule_type::fixed_rate, "3601")).size() == 1);
  CHECK(warnings(declared(schedule_type::fixed_rate, "3600")).empty());
  CHECK(warnings(declared(schedule_type::cron, "0 0 * * * ?")).empty());
  CHECK(warnings(declared(schedule_type::none, "")).empty());
}

TEST_CASE("no warning is given for a job that sets misfire or is disabled", "[unit][declared]") {
  auto job = declared(schedule_type::cron, "0 0 2 * * ?");
  job.names_misfire = true;
  CHECK(warnings(job).empty());
  job.names_misfire = false;
  job.enabled = false;
  CHECK(warnings(job).empty());
}

TEST_CASE("a missing misfire is warned about for a new or changed job, not at each apply", "[unit][declared]") {
  const auto job = declared(schedule_type::cron, "0 0 2 * * ?");
  CHECK(warnings(job, true, change_kind::update).size() == 1);
  CHECK(warnings(job, true, change_kind::unchanged).empty());
}

TEST_CASE("a warning is given for a pool and an error handler that are not built in", "[unit][declared]") {
  declared_set set;
  declared_elastic_job job;
  job.where = "jobs.toml:3";
  job.what.name = "sums";
  job.what.options.pool = "CPU";
  job.what.options.error_handler = "IGNORE";
  set.elastic_jobs = {job};
  schedule_rules rules{zone{}};
  CHECK(warnings_of(set, true, rules, {}).empty());
  set.elastic_jobs[0].what.options.pool = "FAST";
  set.elastic_jobs[0].what.options.error_handler = "PAGER";
  const auto said = warnings_of(set, true, rules, {});
  REQUIRE(said.size() == 2);
  CHECK(said[0].text == "jobs.toml:3: elastic_job sums: pool \"FAST\" is not built in: only executors whose program has it run "
                        "the job");
  CHECK(said[1].text.find(": error_handler \"PAGER\" is not built in: ") != std::string::npos);
  CHECK(said[0].only_of_changes);
}

TEST_CASE("a warning is given for alarm_email without a mail server", "[unit][declared]") {
  auto job = declared(schedule_type::none, "");
  job.alarm_email = "ann@example.org";
  CHECK(warnings(job, true).empty());
  CHECK(warnings(job, false, change_kind::unchanged)
        == std::vector<std::string>{
          "jobs.toml:3: job pay/settle: alarm_email is set, but the server has no [mail]: it cannot send alarm mail"});
}
