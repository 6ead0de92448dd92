#include "core/alarm/alarm.hpp"

#include <map>

#include "core/alarm/alarm_windows.hpp"
#include "core/alarm/alarm_text.hpp"
#include "core/text/mail_text.hpp"
#include "core/alarm/webhook_template.hpp"
#include "core/run/trigger_note.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace ringmaster::core;
using namespace std::chrono_literals;

namespace {

const alarm_windows::clock t0{1h};

log_row failed_row(std::int32_t trigger_code, std::string message, std::int32_t handle_code = 0, std::string handled = {}) {
  log_row row;
  row.id = log_id{1'234'567};
  row.job = job_id{7};
  row.trigger_code = trigger_code;
  row.trigger_msg = std::move(message);
  row.handle_code = handle_code;
  row.handle_msg = std::move(handled);
  row.trigger_time = from_ms(1'772'452'800'000);
  return row;
}

pending_alarm alarm_of(log_row row) {
  pending_alarm alarm;
  alarm.job = job_id{1'234};
  alarm.origin = row.id;
  alarm.run = std::move(row);
  alarm.about = alarmed_job{"<b>settle</b>", "Pay & Co", "a@x.example"};
  return alarm;
}

} // namespace

TEST_CASE("alarm rules: the most specific rule applies, and the job's own addresses always do", "[core]") {
  std::vector<alarm_rule> rules(4);
  rules[0].key = "z-all";
  rules[1].key = "all";
  rules[2].key = "pay";
  rules[2].group = "pay";
  rules[3].key = "settle";
  rules[3].group = "pay";
  rules[3].job = "settle";
  CHECK(rule_for(rules, "pay", "settle")->key == "settle");
  CHECK(rule_for(rules, "pay", "other")->key == "pay");
  CHECK(rule_for(rules, "pay", "")->key == "pay");
  CHECK(rule_for(rules, "mail", "settle")->key == "all");
  CHECK(rule_for({}, "pay", "settle") == nullptr);
  alarm_rule rule;
  CHECK_FALSE(needs_alarm(" ", &rule, false));
  CHECK(needs_alarm("a@x", nullptr, true));
  rule.channels = {"ops"};
  CHECK(needs_alarm("", &rule, true));
  rule.on = alarm_attempts::last_attempt;
  CHECK_FALSE(needs_alarm("a@x", &rule, true));
  CHECK(needs_alarm("", &rule, false));
  rule.mail_to = {"b@x", "a@x"};
  CHECK(mail_addresses(" a@x, ,c@x,a@x,", &rule) == std::vector<std::string>{"a@x", "c@x", "b@x"});
  CHECK(split_lines(join_lines(std::vector<std::string>{"a", "b"})) == std::vector<std::string>{"a", "b"});
  CHECK(split_lines("").empty());
}

TEST_CASE("failure reasons: codes and texts distinguish failures, numbers do not", "[core]") {
  trigger_note note;
  note.message = "connect to 10.0.0.1:9999 refused\nat 12:00";
  auto other = note;
  other.message = "connect to 10.0.0.27:80 refused\nat 13:01";
  CHECK(failure_reason(failed_row(500, encode(note))) == failure_reason(failed_row(500, encode(other))));
  CHECK(failure_reason(failed_row(500, "a")) != failure_reason(failed_row(500, "b")));
  CHECK(failure_reason(failed_row(500, "a")) != failure_reason(failed_row(501, "a")));
  CHECK(failure_reason(failed_row(200, "", 500, "a")) != failure_reason(failed_row(500, "a")));
  CHECK(failure_reason(failed_row(200, "", 500, std::string(10'000, 'x'))).size() <= 200);
}

TEST_CASE("alarm windows: the first failure is reported at once, the others at the end of each window", "[core]") {
  alarm_windows windows;
  const alarm_windows::key what{job_id{7}, "r"}, other{job_id{7}, "s"};
  CHECK(windows.open(what, 0ms, t0));
  CHECK(windows.size() == 0);
  CHECK(windows.open(what, 60s, t0));
  CHECK(windows.open(other, 60s, t0));
  for (int i = 1; i <= 3; ++i) {
    CHECK_FALSE(windows.open(what, 60s, t0 + 1s));
    windows.hold(what, intent_id{i}, i < 3);
  }
  CHECK(windows.holds_any(what));
  CHECK_FALSE(windows.holds_any(other));
  CHECK(windows.ended(t0 + 59s).empty());
  auto ended = windows.ended(t0 + 60s);
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].count == 3);
  CHECK(ended[0].alarms == std::vector<alarm_id>{intent_id{1}, intent_id{2}});
  // The window stays open; the other one is removed.
  CHECK(windows.size() == 1);
  CHECK_FALSE(windows.open(what, 60s, t0 + 70s));
  CHECK(windows.ended(t0 + 120s).empty());
  CHECK(windows.open(what, 60s, t0 + 121s));
}

TEST_CASE("alarm windows: an unlimited number of reasons shares one window", "[core]") {
  alarm_windows windows;
  std::size_t told = 0;
  const auto fail = [&](job_id job, const std::string& reason) {
    const auto what = windows.key_of(job, reason);
    if (windows.open(what, 60s, t0))
      ++told;
    else
      windows.hold(what, intent_id{1}, false);
  };
  for (int i = 0; i < 10'000; ++i)
    fail(job_id{7}, "request " + std::string(static_cast<std::size_t>(i % 5000), 'x') + " failed");
  CHECK(windows.size() == alarm_windows::per_job_max + 1);
  CHECK(told == windows.size());
  // A reason with a window keeps it, and other jobs have their own.
  CHECK(windows.key_of(job_id{7}, "request  failed").second == "request  failed");
  fail(job_id{6}, "a");
  fail(job_id{8}, "a");
  CHECK(told == windows.size());
  CHECK(windows.key_of(job_id{8}, "b") == alarm_windows::key{job_id{8}, "b"});
  // The common window reports all failures that waited in it.
  std::uint64_t waited = 0;
  for (const auto& ended : windows.ended(t0 + 60s))
    waited += ended.count;
  CHECK(waited == 10'000 - alarm_windows::per_job_max - 1);
}

TEST_CASE("alarm rate: limits messages in any minute, per lane", "[core]") {
  alarm_rate rate{2};
  CHECK(rate.take("a", t0));
  CHECK(rate.take("a", t0 + 30s));
  CHECK_FALSE(rate.take("a", t0 + 59s));
  CHECK(rate.take("b", t0 + 59s));
  CHECK(rate.take("a", t0 + 60s));
  CHECK_FALSE(rate.take("a", t0 + 61s));
  rate.forget(t0 + 10min);
  CHECK(rate.take("a", t0 + 10min));
  CHECK(alarm_back_off(1) == 1s);
  CHECK(alarm_back_off(2) == 2s);
  CHECK(alarm_back_off(9) == 256s);
  CHECK(alarm_back_off(10) == 5min);
  CHECK(alarm_back_off(1000) == 5min);
}

TEST_CASE("alarm text: XXL's table, every value escaped, no digit grouping", "[core]") {
  auto message = alarm_message_of(alarm_of(failed_row(500, "x<br>address：<script>y</script> &lt;z")), 1, language::en);
  CHECK(message.title == "Task Scheduling Center monitor alarm");
  CHECK(message.html.find("<td>1234</td>") != std::string::npos);
  CHECK(message.html.find("<td>Pay &amp; Co</td>") != std::string::npos);
  CHECK(message.html.find("&lt;b&gt;settle&lt;/b&gt;") != std::string::npos);
  CHECK(message.html.find("<script>") == std::string::npos);
  CHECK(message.html.find("Alarm Job LogId=1234567<br>TriggerMsg=<br>x<br>address：y &lt;z") != std::string::npos);
  CHECK(message.text.find("Alarm Job LogId=1234567\nTriggerMsg=\nx\naddress：y <z") != std::string::npos);
  CHECK(message.fields.at("fire_time") == "2026-03-02T12:00:00.000Z");
  CHECK(message.fields.at("kind") == "failure");
  auto handled = alarm_message_of(alarm_of(failed_row(200, "", 502, "too slow")), 3, language::zh_cn);
  CHECK(handled.title == "任务调度中心监控报警");
  CHECK(handled.text.find("3 次") != std::string::npos);
  CHECK(handled.text.find("TriggerMsg") == std::string::npos);
  CHECK(handled.text.find("HandleCode=too slow") != std::string::npos);
  CHECK(handled.text.find("调度失败") != std::string::npos);
  CHECK(alarm_message_of(alarm_of(failed_row(500, "")), 1, language::zh_tc).title == "任務調度中心監控報警");
}

TEST_CASE("alarm text: a compact note is shown in readable form, and a missing run or job is handled", "[core]") {
  trigger_note note;
  note.node_host = "10.0.0.9";
  note.message = "refused <here>";
  auto message = alarm_message_of(alarm_of(failed_row(500, encode(note))), 1, language::en);
  CHECK(message.text.find("10.0.0.9") != std::string::npos);
  CHECK(message.text.find("refused <here>") != std::string::npos);
  CHECK(message.html.find("refused &lt;here&gt;") != std::string::npos);
  CHECK(message.text.find("rm1;") == std::string::npos);
  pending_alarm bare;
  bare.origin = log_id{3};
  CHECK(alarm_message_of(bare, 1, language::en).text.find("Alarm Job LogId=3") != std::string::npos);
  auto recovered = alarm_of(failed_row(200, "", 200));
  recovered.kind = alarm_kind::recovery;
  CHECK(alarm_message_of(recovered, 1, language::en).fields.at("kind") == "recovery");
  auto huge = alarm_message_of(alarm_of(failed_row(500, std::string(100'000, '<'))), 1, language::en);
  CHECK(huge.text.size() < 10'000);
  std::vector<suppressed_job> jobs(60, {job_id{1}, "n\n<x>", 2});
  auto summary = summary_message_of(jobs, 120, language::en);
  CHECK(summary.text.find("120 alarms") != std::string::npos);
  CHECK(summary.text.find("… (10)") != std::string::npos);
  CHECK(summary.html.find("<x>") == std::string::npos);
}

TEST_CASE("stored HTML becomes text", "[core]") {
  CHECK(text_of_html("a<br>b<br/>c") == "a\nb\nc");
  CHECK(text_of_html("<br><br><span style=\"color:#00c0ef;\" > >>>x<<< </span><br>y") == "\n\n >>>x<<< \ny");
  CHECK(text_of_html("1 < 2 && 3 > 2 &amp;lt;") == "1 < 2 && 3 > 2 &lt;");
  CHECK(text_of_html("<") == "<");
  CHECK(text_of_html("<a") == "<a");
  CHECK(escape_html("<a href='x'>\"&") == "&lt;a href=&#39;x&#39;&gt;&quot;&amp;");
}

TEST_CASE("mail text: headers cannot be injected, words are encoded", "[core]") {
  CHECK(base64("") == "");
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(encoded_words("plain") == "plain");
  CHECK(encoded_words("a\r\nBcc: x@y") == "a  Bcc: x@y");
  CHECK(encoded_words("=?x?=").starts_with("=?UTF-8?B?"));
  const auto words = encoded_words("任务调度中心监控报警任务调度中心监控报警任务调度中心监控报警");
  for (std::string_view rest = words; !rest.empty();) {
    const auto end = rest.find("\r\n ");
    CHECK(rest.substr(0, end).size() <= 75);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 3);
  }
  mail message{"r@x.example", "R \"q\"", "a@x.example", "s", "t", "<p>h</p>", "id\r\nX: y", from_ms(1'772'452'800'000)};
  const auto text = mail_text(message);
  CHECK(text.starts_with("Date: Mon, 02 Mar 2026 12:00:00 +0000\r\n"));
  CHECK(text.find("From: \"R \\\"q\\\"\" <r@x.example>\r\n") != std::string::npos);
  CHECK(text.find("Message-ID: <id  X: y>\r\n") != std::string::npos);
  CHECK(text.find("\r\nX:") == std::string::npos);
  for (char c : text)
    CHECK((c == '\r' || c == '\n' || (c >= ' ' && c < 0x7F)));
  for (const char* address : {"a@b", "a.b+c@example.org"})
    CHECK(is_mail_address(address));
  for (const char* address : {"", "a", "@b", "a@", "a b@c", "a@b>", "a@b\r\n", "a,b@c", "ä@b"})
    CHECK_FALSE(is_mail_address(address));
}

TEST_CASE("templates: values are escaped and not expanded again, and other braces stay", "[core]") {
  const std::map<std::string, std::string, std::less<>> fields{{"title", "a {job} \""}, {"job", "7"}};
  const auto mark = [](std::string_view value) { return "<" + std::string{value} + ">"; };
  CHECK(fill_template(R"({"t":"{title}","n":{job},"x":{"y":1}})", fields, mark) == R"({"t":"<a {job} ">","n":<7>,"x":{"y":1}})");
  CHECK(fill_template("{", fields, mark) == "{");
  CHECK(fill_template("{{job}}", fields, mark) == "{<7>}");
  CHECK(fill_template("{unknown} {job", fields, mark) == "{unknown} {job");
  CHECK(fill_template("", fields, mark).empty());
}

TEST_CASE("a plain alarm names the job, the run, the number of failures, the reason and the link", "[core][alarm]") {
  auto alarm = alarm_of(failed_row(200, "", 500, "no such account<br>line two"));
  alarm.about->app_name = "pay-worker";
  alarm.about->key = "settle-day";
  const auto run = std::to_string(number(alarm.origin));
  const auto message = plain_alarm_of(alarm, 3, from_ms(0), "https://jobs.example/runs/{run}?job={job}");
  CHECK(message.title == "[FAILED] pay-worker/settle-day, run " + run + ": no such account");
  CHECK(message.text.find("failed: 3 times for the same reason since 1970-01-01T00:00:00.000Z") != std::string::npos);
  CHECK(message.text.find("link: https://jobs.example/runs/" + run + "?job=" + std::to_string(number(alarm.job))) !=
        std::string::npos);
  CHECK(message.fields.at("kind") == "failure");
  CHECK(message.text.find("log") == std::string::npos);
  const auto quoting = plain_alarm_of(alarm, 1, from_ms(0), "", "reading <accounts>\nno such account");
  CHECK(quoting.text.ends_with("\nlast lines of its log:\nreading <accounts>\nno such account"));
  CHECK(quoting.html.find("reading &lt;accounts&gt;<br>no such account") != std::string::npos);
  CHECK(quoting.fields.at("log") == "reading <accounts>\nno such account");
  alarm.about->key.clear();
  CHECK(plain_alarm_of(alarm, 1, from_ms(0), "").title.starts_with("[FAILED] pay-worker/job "));
  alarm.kind = alarm_kind::recovery;
  CHECK(plain_alarm_of(alarm, 1, from_ms(0), "").title.starts_with("[RECOVERED] pay-worker/job "));
  trigger_note note;
  note.message = "no executor";
  const auto unsent = alarm_of(failed_row(500, encode(note)));
  CHECK(plain_alarm_of(unsent, 1, from_ms(0), "").title.ends_with(": not sent: no executor"));
  note.message = "no such handler";
  note.refused = true;
  const auto refused = alarm_of(failed_row(500, encode(note)));
  CHECK(plain_alarm_of(refused, 1, from_ms(0), "").title.ends_with(": refused by the executor: no such handler"));
}
