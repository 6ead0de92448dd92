#include "core/alarm/alarm.hpp"
#include "core/alarm/alarm_text.hpp"
#include "core/alarm/alarm_windows.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace ringmaster::core;
using namespace std::chrono_literals;
using elastic::alarm_cause;
using elastic::item_alarm;

namespace {

const time_point noon = from_ms(1'772'452'800'000);

pending_alarm alarm_of(std::optional<alarm_cause> cause) {
  pending_alarm out;
  out.id = elastic::elastic_alarm_id{9};
  out.kind = cause ? alarm_kind::failure : alarm_kind::recovery;
  auto& what = out.elastic.emplace();
  what.job = elastic::elastic_job_id{5};
  what.cause = cause;
  out.about = alarmed_job{"sums", "Shards & Co", "a@x.example"};
  out.about->app_name = "shard-worker";
  out.about->key = "sums";
  return out;
}

pending_alarm failure_of(alarm_cause cause, const std::string& message = {}) {
  auto out = alarm_of(cause);
  out.elastic->item = elastic::item_number{3};
  out.elastic->run = elastic::item_run_id{24};
  out.elastic->fire = noon;
  out.elastic->host = "host-1";
  out.elastic->attempt = 2;
  out.elastic->message = message;
  return out;
}

std::string title_of(const pending_alarm& alarm) { return plain_elastic_alarm_of(alarm, 1, noon, "").title; }

} // namespace

TEST_CASE("the message about a failed item names job, item, run and reason", "[core][elastic]") {
  const auto made = plain_elastic_alarm_of(failure_of(alarm_cause::error, "no disk\nat line 3"), 4, noon,
                                           "https://jobs.example.com/elastic/{job}?run={run}");
  CHECK(made.title == "[FAILED] shard-worker/sums, item 3, run 24: no disk");
  CHECK(made.text ==
        "job: shard-worker/sums (elastic job 5)\nitem: 3\nrun: 24\nfire: 2026-03-02T12:00:00.000Z\nhost: host-1\nattempt: 2\n"
        "reported: 4 times for the same reason since 2026-03-02T12:00:00.000Z\nwhy: no disk\nat line 3\n"
        "link: https://jobs.example.com/elastic/5?run=24");
  CHECK(made.fields.at("kind") == "ej_fail");
  CHECK(made.fields.at("job_id") == "5");
  CHECK(made.fields.at("job") == "sums");
  CHECK(made.fields.at("item") == "3");
  CHECK(made.fields.at("item_run") == "24");
  CHECK(made.fields.at("log_id").empty());
  CHECK(made.fields.at("address") == "host-1");
  CHECK(made.fields.at("count") == "4");
}

TEST_CASE("each cause of an elastic job's alarm has its words", "[core][elastic]") {
  CHECK(title_of(failure_of(alarm_cause::error)).ends_with(": the body reported a failure"));
  CHECK(title_of(failure_of(alarm_cause::time_limit)).ends_with(": took longer than its time limit"));
  CHECK(title_of(failure_of(alarm_cause::ignored)).ends_with(": the body ignored cancel and kill"));
  CHECK(title_of(failure_of(alarm_cause::lost)).ends_with(": the host was lost, and no other host takes the item over"));
  CHECK(title_of(failure_of(alarm_cause::takeover_limit)).starts_with("[FAILED] "));
  auto late = alarm_of(alarm_cause::late);
  late.elastic->fire = noon;
  late.elastic->amount = 12'340;
  CHECK(title_of(late) == "[LATE] shard-worker/sums: the fire of 2026-03-02T12:00:00.000Z began 12.3 s late");
  late.elastic->cause = alarm_cause::dropped;
  CHECK(title_of(late).find("was dropped by the misfire rule, 12.3 s late") != std::string::npos);
  auto waits = alarm_of(alarm_cause::waits);
  waits.elastic->item = elastic::item_number{0};
  waits.elastic->amount = 7;
  CHECK(title_of(waits) == "[NO HOST] shard-worker/sums, item 0: the item has waited for a host for 30 s; items that wait: 7");
  auto takeovers = alarm_of(alarm_cause::takeovers);
  takeovers.elastic->amount = 3;
  takeovers.elastic->fire = noon;
  CHECK(title_of(takeovers) ==
        "[TAKEOVERS] shard-worker/sums: runs of the job were taken over from 3 lost hosts since 2026-03-02T12:00:00.000Z");
  auto recovered = alarm_of(std::nullopt);
  recovered.elastic->item = elastic::item_number{3};
  recovered.elastic->run = elastic::item_run_id{25};
  CHECK(title_of(recovered) == "[RECOVERED] shard-worker/sums, item 3, run 25");
  auto hook = failure_of(alarm_cause::error);
  hook.elastic->item = elastic::before_hook_item;
  CHECK(title_of(hook).find("item before all") != std::string::npos);
  recovered.about.reset();
  CHECK(title_of(recovered).starts_with("[RECOVERED] elastic job 5, item 3"));
}

TEST_CASE("XXL's form of an elastic job's alarm is in the language of the server", "[core][elastic]") {
  const auto made = elastic_message_of(failure_of(alarm_cause::time_limit, "<slow>"), 1, language::zh_cn);
  CHECK(made.title == "任务调度中心监控报警");
  CHECK(made.fields.at("type") == "任务项失败");
  CHECK(made.fields.at("content") == "Item=3\nRun=24\nHost=host-1\n超过执行时限: <slow>");
  CHECK(made.html.find("Shards &amp; Co") != std::string::npos);
  CHECK(made.html.find("<slow>") == std::string::npos);
  CHECK(elastic_message_of(failure_of(alarm_cause::lost), 1, language::zh_tc).fields.at("content").ends_with("沒有其他主機接管"));
  CHECK(elastic_message_of(alarm_of(std::nullopt), 1, language::en).fields.at("kind") == "recovery");
}

TEST_CASE("equal alarms of elastic jobs are grouped by cause and message, numbers aside", "[core][elastic]") {
  const auto reason = [](alarm_cause cause, const std::string& message) {
    return failure_reason(*failure_of(cause, message).elastic);
  };
  CHECK(reason(alarm_cause::error, "row 17 is bad") == reason(alarm_cause::error, "row 4 is bad"));
  CHECK(reason(alarm_cause::error, "a") != reason(alarm_cause::error, "b"));
  CHECK(reason(alarm_cause::error, "a") != reason(alarm_cause::time_limit, "a"));
  // Jobs of both kinds with the same number do not share a window.
  alarm_windows windows;
  const auto ordinary = windows.key_of(job_id{5}, "r"), other = windows.key_of(elastic::elastic_job_id{5}, "r");
  const alarm_windows::clock t0{1h};
  CHECK(windows.open(ordinary, 60s, t0));
  CHECK(windows.open(other, 60s, t0));
}

TEST_CASE("a rule chooses kinds of alarms of elastic jobs", "[core][elastic]") {
  alarm_rule rule;
  rule.channels = {"ops"};
  CHECK(needs_alarm("", &rule, item_alarm::late));
  rule.on = alarm_attempts::last_attempt;
  CHECK(needs_alarm("", &rule, item_alarm::failure));
  rule.kinds = read_item_alarms("ej_late,ej_nothing,ej_unowned");
  CHECK(item_alarms_text(rule.kinds) == "ej_late,ej_unowned");
  CHECK(needs_alarm("", &rule, item_alarm::late));
  CHECK_FALSE(needs_alarm("a@x.example", &rule, item_alarm::failure));
  CHECK_FALSE(needs_alarm("", nullptr, item_alarm::late));
  for (const auto kind : elastic::item_alarms)
    CHECK(elastic::find_item_alarm(stored_name(kind)) == kind);
  CHECK(read_item_alarms("").empty());
}
