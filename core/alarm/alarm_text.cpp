#include "core/alarm/alarm_text.hpp"

#include <array>
#include <utility>

#include "core/alarm/alarm_parts.hpp"
#include "core/run/execution_state.hpp"
#include "core/run/trigger_text.hpp"
#include "core/text/result_text.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

constexpr std::size_t named_jobs_max = 50;

constexpr localized failed_type{"调度失败", "調度失敗", "Trigger Fail"};
constexpr localized recovered_content{"任务再次执行成功", "任務再次執行成功", "The job succeeded again"};
constexpr localized suppressed_type{"告警已合并", "告警已合併", "Alarms suppressed"};
constexpr localized test_content{"测试消息，无需处理", "測試訊息，無需處理", "A test message; nothing is wrong"};
constexpr localized sender{"分布式任务调度平台XXL-JOB", "分布式任務調度平臺XXL-JOB", "Distributed Task Scheduling Platform XXL-JOB"};

std::string suppressed_text(std::uint64_t count, language in) {
  const auto number = std::to_string(count);
  switch (in) {
  case language::zh_cn: return "超出发送频率限制，以下 " + number + " 条告警未逐条发送";
  case language::zh_tc: return "超出發送頻率限制，以下 " + number + " 條告警未逐條發送";
  case language::en: break;
  }
  return number + " alarms were not sent one by one, because the channel's limit was reached:";
}

/// Returns the trigger message as lines of text: a compact note in readable form, a Java admin's HTML as text.
std::string trigger_lines(const pending_alarm& alarm, language in) {
  const auto& run = *alarm.run;
  auto note = decode_trigger_note(run.trigger_msg);
  if (!note)
    return alarm_parts::shortened(text_of_html(run.trigger_msg));
  trigger_story story;
  story.note = std::move(*note);
  if (alarm.about) {
    story.manual_addresses = alarm.about->manual_addresses;
    if (alarm.about->addresses)
      story.addresses = *alarm.about->addresses;
  }
  story.address = run.executor_address;
  story.handler = run.executor_handler;
  story.param = run.executor_param;
  story.code = run.trigger_code;
  return alarm_parts::shortened(text_of_html(trigger_text(story, in, trigger_tail::remark)));
}

std::string content_of(const pending_alarm& alarm, std::uint64_t count, language in) {
  std::string out;
  if (count > 1)
    out = alarm_parts::times_text(count, in) + '\n';
  out += "Alarm Job LogId=" + std::to_string(number(alarm.origin));
  if (alarm.kind == alarm_kind::recovery)
    return out + '\n' + std::string{recovered_content.in(in)};
  if (!alarm.run)
    return out;
  if (alarm.run->trigger_code != success_code)
    out += "\nTriggerMsg=\n" + trigger_lines(alarm, in);
  if (alarm.run->handle_code > 0 && alarm.run->handle_code != success_code)
    out += "\nHandleCode=" + alarm_parts::shortened(text_of_html(result_text(alarm.run->handle_msg, in)));
  return out;
}

void add_run_fields(alarm_message& to, const pending_alarm& alarm) {
  to.fields["log_id"] = std::to_string(number(alarm.origin));
  if (!alarm.run)
    return;
  to.fields["address"] = alarm.run->executor_address;
  to.fields["fire_time"] = alarm_parts::iso_time(alarm.run->trigger_time);
  to.fields["trigger_code"] = std::to_string(alarm.run->trigger_code);
  to.fields["handle_code"] = std::to_string(alarm.run->handle_code);
  to.fields["retry_left"] = std::to_string(alarm.run->fail_retry_count);
}

struct entity {
  std::string_view text;
  char stands_for;
};
constexpr std::array<entity, 7> entities{{{"&lt;", '<'},   {"&gt;", '>'},   {"&quot;", '"'}, {"&#39;", '\''},
                                          {"&apos;", '\''}, {"&nbsp;", ' '}, {"&amp;", '&'}}};

bool is_break(std::string_view tag) noexcept {
  return tag.starts_with("<br") || tag.starts_with("<BR") || tag.starts_with("</p") || tag.starts_with("</tr");
}

/// Returns the tag at the beginning of `html`, up to its `>`; empty if the `<` is plain text.
std::string_view tag_at(std::string_view html) noexcept {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const std::size_t name = html.size() > 1 && html[1] == '/' ? 2 : 1;
  if (html.size() <= name || !letter(html[name]))
    return {};
  const auto end = html.find('>');
  const auto next = html.find('<', 1);
  return end == std::string_view::npos || (next != std::string_view::npos && next < end) ? std::string_view{}
                                                                                       : html.substr(0, end + 1);
}

} // namespace

std::string escape_html(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
    case '<': out += "&lt;"; break;
    case '>': out += "&gt;"; break;
    case '&': out += "&amp;"; break;
    case '"': out += "&quot;"; break;
    case '\'': out += "&#39;"; break;
    default: out += c;
    }
  }
  return out;
}

std::string text_of_html(std::string_view html) {
  std::string out;
  out.reserve(html.size());
  while (!html.empty()) {
    std::size_t used = 1;
    if (const auto tag = html.front() == '<' ? tag_at(html) : std::string_view{}; !tag.empty()) {
      used = tag.size();
      if (is_break(tag))
        out += '\n';
    } else if (html.front() == '&') {
      char meant = '&';
      for (const auto& [text, stands_for] : entities)
        if (html.starts_with(text)) {
          used = text.size();
          meant = stands_for;
          break;
        }
      out += meant;
    } else {
      out += html.front();
    }
    html.remove_prefix(used);
  }
  return out;
}

alarm_message alarm_message_of(const pending_alarm& alarm, std::uint64_t count, language in) {
  const bool recovered = alarm.kind == alarm_kind::recovery;
  const alarm_parts::cells row{alarm.about ? alarm_parts::one_line(alarm.about->group_title) : "null",
                               std::to_string(number(alarm.job)), alarm.about ? alarm_parts::one_line(alarm.about->name) : "",
                               std::string{(recovered ? alarm_parts::recovered_type : failed_type).in(in)},
                               content_of(alarm, count, in)};
  auto out = alarm_parts::message_from(std::string{(recovered ? alarm_parts::recovered_subject : alarm_parts::subject).in(in)},
                                       row, recovered ? "recovery" : "failure", count, in);
  add_run_fields(out, alarm);
  return out;
}

namespace {

std::string job_title(const pending_alarm& alarm) {
  const auto number_of_job = "job " + std::to_string(number(alarm.job));
  if (!alarm.about)
    return number_of_job;
  const auto app = alarm_parts::one_line(alarm.about->app_name);
  return app + (app.empty() ? "" : "/") + (alarm.about->key.empty() ? number_of_job : alarm_parts::one_line(alarm.about->key));
}

/// Returns all lines of the reason.
std::string reason_of(const log_row& run) {
  constexpr std::int32_t timed_out = 502;
  if (run.handle_code == timed_out)
    return "took longer than its time limit";
  if (run.handle_code != 0) {
    const auto said = alarm_parts::shortened(trimmed(text_of_html(result_text(run.handle_msg, language::en))));
    return said.empty() ? "the executor reported code " + std::to_string(run.handle_code) : said;
  }
  const auto note = decode_trigger_note(run.trigger_msg);
  const auto said =
    alarm_parts::shortened(trimmed(text_of_html(trigger_reason(note ? note->message : run.trigger_msg, language::en))));
  if (note && said.starts_with(unknown_delivery))
    return said;
  return (note && note->refused ? "refused by the executor" : "not sent") + (said.empty() ? "" : ": " + said);
}

} // namespace

alarm_message plain_alarm_of(const pending_alarm& alarm, std::uint64_t count, time_point since, std::string_view link,
                             std::string_view log) {
  const bool recovered = alarm.kind == alarm_kind::recovery;
  auto out = alarm_message_of(alarm, count, language::en);
  const auto job = job_title(alarm);
  const auto reason = alarm.run && !recovered ? reason_of(*alarm.run) : std::string{};
  out.title = (recovered ? "[RECOVERED] " : "[FAILED] ") + job + ", run " + std::to_string(number(alarm.origin));
  if (!reason.empty())
    out.title += ": " + alarm_parts::one_line(reason.substr(0, reason.find('\n')));
  auto& text = out.text;
  text = "job: " + job;
  if (alarm.about && !alarm.about->name.empty())
    text += " (" + alarm_parts::one_line(alarm.about->name) + ')';
  text += "\nrun: " + std::to_string(number(alarm.origin));
  if (alarm.run)
    text += "\ntriggered: " + alarm_parts::iso_time(alarm.run->trigger_time);
  if (alarm.run && !alarm.run->executor_address.empty())
    text += "\nexecutor: " + alarm_parts::one_line(alarm.run->executor_address);
  if (count > 1)
    text += "\nfailed: " + std::to_string(count) + " times for the same reason since " + alarm_parts::iso_time(since);
  if (!reason.empty())
    text += "\nwhy: " + reason;
  const auto address = alarm_parts::filled(link, number(alarm.origin), number(alarm.job));
  if (!address.empty())
    text += "\nlink: " + address;
  if (!log.empty())
    text.append("\nlast lines of its log:\n").append(log);
  out.html = "<p>" + alarm_parts::lines_to_html(text) + "</p>";
  out.fields["title"] = out.title;
  out.fields["text"] = out.text;
  out.fields["link"] = address;
  out.fields["log"] = log;
  return out;
}

alarm_message summary_message_of(std::span<const suppressed_job> jobs, std::uint64_t count, language in) {
  std::string content = suppressed_text(count, in);
  for (std::size_t i = 0; i < jobs.size() && i < named_jobs_max; ++i)
    content += '\n' + std::string{std::holds_alternative<job_id>(jobs[i].job) ? "" : "elastic "} +
               std::to_string(number(jobs[i].job)) + ' ' + alarm_parts::one_line(jobs[i].name) + ": " +
               std::to_string(jobs[i].count);
  if (jobs.size() > named_jobs_max)
    content += "\n… (" + std::to_string(jobs.size() - named_jobs_max) + ")";
  const alarm_parts::cells row{"", "", "", std::string{suppressed_type.in(in)}, std::move(content)};
  return alarm_parts::message_from(std::string{alarm_parts::subject.in(in)}, row, "summary", count, in);
}

alarm_message test_message_of(std::string_view from, language in) {
  const alarm_parts::cells row{alarm_parts::one_line(from), "", "", "test", std::string{test_content.in(in)}};
  return alarm_parts::message_from(std::string{alarm_parts::subject.in(in)}, row, "test", 1, in);
}

alarm_message plain_test_message_of(std::string_view from, language in) {
  auto out = test_message_of(from, in);
  out.title = "[TEST] alarm from " + alarm_parts::one_line(from);
  out.text = std::string{test_content.in(in)} + "\nsent by: " + alarm_parts::one_line(from);
  out.html = "<p>" + alarm_parts::lines_to_html(out.text) + "</p>";
  out.fields["title"] = out.title;
  out.fields["text"] = out.text;
  return out;
}

std::string_view sender_name(language in) noexcept { return sender.in(in); }

} // namespace ringmaster::core
