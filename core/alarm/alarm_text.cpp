#include "core/alarm/alarm_text.hpp"

#include <array>
#include <cstdio>
#include <utility>

#include "core/run/execution_state.hpp"
#include "core/run/trigger_text.hpp"
#include "core/text/result_text.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

/// Maximum length of a run's message in an alarm, so that an e-mail stays readable.
constexpr std::size_t content_units_max = 4000;
constexpr std::size_t named_jobs_max = 50;

constexpr localized subject{"任务调度中心监控报警", "任務調度中心監控報警", "Task Scheduling Center monitor alarm"};
constexpr localized recovered_subject{"任务调度中心恢复通知", "任務調度中心恢復通知", "Task Scheduling Center recovery notice"};
constexpr localized heading{"监控告警明细", "監控告警明細", "monitor alarm details"};
constexpr localized group_label{"执行器", "執行器", "Executor"};
constexpr localized id_label{"任务ID", "任務ID", "Job ID"};
constexpr localized name_label{"任务描述", "任務描述", "Job description"};
constexpr localized type_label{"告警类型", "告警類型", "Alarm type"};
constexpr localized content_label{"告警内容", "告警內容", "Alarm Content"};
constexpr localized failed_type{"调度失败", "調度失敗", "Trigger Fail"};
constexpr localized recovered_type{"已恢复", "已恢復", "Recovered"};
constexpr localized recovered_content{"任务再次执行成功", "任務再次執行成功", "The job succeeded again"};
constexpr localized suppressed_type{"告警已合并", "告警已合併", "Alarms suppressed"};
constexpr localized test_content{"测试消息，无需处理", "測試訊息，無需處理", "A test message; nothing is wrong"};
constexpr localized sender{"分布式任务调度平台XXL-JOB", "分布式任務調度平臺XXL-JOB", "Distributed Task Scheduling Platform XXL-JOB"};

std::string shortened(std::string_view text) {
  const auto whole = valid_utf8(text);
  const auto cut = cut_utf16(whole, content_units_max);
  return cut.size() < whole.size() ? std::string{cut} + "…" : std::string{cut};
}

std::string times_text(std::uint64_t count, language in) {
  const auto number = std::to_string(count);
  switch (in) {
  case language::zh_cn: return "相同原因的失败共 " + number + " 次，以下为最后一次";
  case language::zh_tc: return "相同原因的失敗共 " + number + " 次，以下為最後一次";
  case language::en: break;
  }
  return number + " failures for the same reason, the last of them:";
}

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
    return shortened(text_of_html(run.trigger_msg));
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
  return shortened(text_of_html(trigger_text(story, in, trigger_tail::remark)));
}

std::string content_of(const pending_alarm& alarm, std::uint64_t count, language in) {
  std::string out;
  if (count > 1)
    out = times_text(count, in) + '\n';
  out += "Alarm Job LogId=" + std::to_string(number(alarm.origin));
  if (alarm.kind == alarm_kind::recovery)
    return out + '\n' + std::string{recovered_content.in(in)};
  if (!alarm.run)
    return out;
  if (alarm.run->trigger_code != success_code)
    out += "\nTriggerMsg=\n" + trigger_lines(alarm, in);
  if (alarm.run->handle_code > 0 && alarm.run->handle_code != success_code)
    out += "\nHandleCode=" + shortened(text_of_html(result_text(alarm.run->handle_msg, in)));
  return out;
}

std::string lines_to_html(std::string_view text) {
  std::string out;
  const auto escaped = escape_html(text);
  for (const char c : escaped)
    c == '\n' ? out.append("<br>") : out.append(1, c);
  return out;
}

/// Cells of the single row, in XXL's order.
using cells = std::array<std::string, 5>;

std::string table_of(const cells& row, language in) {
  std::string out = "<h5>" + escape_html(heading.in(in)) + "：</h5><table border=\"1\" cellpadding=\"3\" "
                    "style=\"border-collapse:collapse; width:80%;\"><thead style=\"font-weight:bold;color:#ffffff;"
                    "background-color:#ff8c00;\"><tr>";
  constexpr std::array widths{"20%", "10%", "20%", "10%", "40%"};
  const std::array labels{group_label, id_label, name_label, type_label, content_label};
  for (std::size_t i = 0; i < labels.size(); ++i)
    out.append("<td width=\"").append(widths.at(i)).append("\">").append(escape_html(labels.at(i).in(in))).append("</td>");
  out += "</tr></thead><tbody><tr>";
  for (const auto& cell : row)
    out.append("<td>").append(lines_to_html(cell)).append("</td>");
  return out + "</tr></tbody></table>";
}

std::string lines_of(const cells& row, language in) {
  std::string out;
  const std::array labels{group_label, id_label, name_label, type_label};
  for (std::size_t i = 0; i < labels.size(); ++i)
    out.append(labels.at(i).in(in)).append(in == language::en ? ": " : "：").append(row.at(i)).append(1, '\n');
  return out + row.back();
}

/// Formats a time as 2026-03-02T12:00:00.000Z.
std::string iso_time(time_point t) {
  const auto day = std::chrono::floor<std::chrono::days>(t);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{t - day};
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02ld:%02ld:%02ld.%03ldZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), static_cast<long>(clock.hours().count()),
                static_cast<long>(clock.minutes().count()), static_cast<long>(clock.seconds().count()),
                static_cast<long>(clock.subseconds().count()));
  return text.data();
}

std::string one_line(std::string_view text) {
  std::string out = valid_utf8(text);
  for (auto& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      c = ' ';
  return out;
}

alarm_message message_from(std::string title, const cells& row, std::string_view kind, std::uint64_t count, language in) {
  alarm_message out;
  out.title = std::move(title);
  out.text = lines_of(row, in);
  out.html = table_of(row, in);
  // Every name exists, so that a message never shows an unexpanded name.
  for (const char* name : {"log_id", "address", "fire_time", "trigger_code", "handle_code", "retry_left"})
    out.fields[name];
  out.fields["title"] = out.title;
  out.fields["text"] = out.text;
  out.fields["group"] = row[0];
  out.fields["job_id"] = row[1];
  out.fields["job"] = row[2];
  out.fields["type"] = row[3];
  out.fields["content"] = row[4];
  out.fields["kind"] = kind;
  out.fields["count"] = std::to_string(count);
  return out;
}

void add_run_fields(alarm_message& to, const pending_alarm& alarm) {
  to.fields["log_id"] = std::to_string(number(alarm.origin));
  if (!alarm.run)
    return;
  to.fields["address"] = alarm.run->executor_address;
  to.fields["fire_time"] = iso_time(alarm.run->trigger_time);
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
  const cells row{alarm.about ? one_line(alarm.about->group_title) : "null", std::to_string(number(alarm.job)),
                  alarm.about ? one_line(alarm.about->name) : "", std::string{(recovered ? recovered_type : failed_type).in(in)},
                  content_of(alarm, count, in)};
  auto out = message_from(std::string{(recovered ? recovered_subject : subject).in(in)}, row, recovered ? "recovery" : "failure",
                          count, in);
  add_run_fields(out, alarm);
  return out;
}

namespace {

std::string job_title(const pending_alarm& alarm) {
  const auto number_of_job = "job " + std::to_string(number(alarm.job));
  if (!alarm.about)
    return number_of_job;
  const auto app = one_line(alarm.about->app_name);
  return app + (app.empty() ? "" : "/") + (alarm.about->key.empty() ? number_of_job : one_line(alarm.about->key));
}

/// Returns all lines of the reason.
std::string reason_of(const log_row& run) {
  constexpr std::int32_t timed_out = 502;
  if (run.handle_code == timed_out)
    return "took longer than its time limit";
  if (run.handle_code != 0) {
    const auto said = shortened(trimmed(text_of_html(result_text(run.handle_msg, language::en))));
    return said.empty() ? "the executor reported code " + std::to_string(run.handle_code) : said;
  }
  const auto note = decode_trigger_note(run.trigger_msg);
  const auto said = shortened(trimmed(text_of_html(trigger_reason(note ? note->message : run.trigger_msg, language::en))));
  if (note && said.starts_with(unknown_delivery))
    return said;
  return (note && note->refused ? "refused by the executor" : "not sent") + (said.empty() ? "" : ": " + said);
}

std::string filled(std::string_view link, const pending_alarm& alarm) {
  std::string out{link};
  const auto put = [&out](std::string_view mark, const std::string& value) {
    for (auto at = out.find(mark); at != std::string::npos; at = out.find(mark, at + value.size()))
      out.replace(at, mark.size(), value);
  };
  put("{run}", std::to_string(number(alarm.origin)));
  put("{job}", std::to_string(number(alarm.job)));
  return out;
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
    out.title += ": " + one_line(reason.substr(0, reason.find('\n')));
  auto& text = out.text;
  text = "job: " + job;
  if (alarm.about && !alarm.about->name.empty())
    text += " (" + one_line(alarm.about->name) + ')';
  text += "\nrun: " + std::to_string(number(alarm.origin));
  if (alarm.run)
    text += "\ntriggered: " + iso_time(alarm.run->trigger_time);
  if (alarm.run && !alarm.run->executor_address.empty())
    text += "\nexecutor: " + one_line(alarm.run->executor_address);
  if (count > 1)
    text += "\nfailed: " + std::to_string(count) + " times for the same reason since " + iso_time(since);
  if (!reason.empty())
    text += "\nwhy: " + reason;
  const auto address = filled(link, alarm);
  if (!address.empty())
    text += "\nlink: " + address;
  if (!log.empty())
    text.append("\nlast lines of its log:\n").append(log);
  out.html = "<p>" + lines_to_html(text) + "</p>";
  out.fields["title"] = out.title;
  out.fields["text"] = out.text;
  out.fields["link"] = address;
  out.fields["log"] = log;
  return out;
}

alarm_message summary_message_of(std::span<const suppressed_job> jobs, std::uint64_t count, language in) {
  std::string content = suppressed_text(count, in);
  for (std::size_t i = 0; i < jobs.size() && i < named_jobs_max; ++i)
    content += '\n' + std::to_string(number(jobs[i].job)) + ' ' + one_line(jobs[i].name) + ": " + std::to_string(jobs[i].count);
  if (jobs.size() > named_jobs_max)
    content += "\n… (" + std::to_string(jobs.size() - named_jobs_max) + ")";
  const cells row{"", "", "", std::string{suppressed_type.in(in)}, std::move(content)};
  return message_from(std::string{subject.in(in)}, row, "summary", count, in);
}

alarm_message test_message_of(std::string_view from, language in) {
  const cells row{one_line(from), "", "", "test", std::string{test_content.in(in)}};
  return message_from(std::string{subject.in(in)}, row, "test", 1, in);
}

alarm_message plain_test_message_of(std::string_view from, language in) {
  auto out = test_message_of(from, in);
  out.title = "[TEST] alarm from " + one_line(from);
  out.text = std::string{test_content.in(in)} + "\nsent by: " + one_line(from);
  out.html = "<p>" + lines_to_html(out.text) + "</p>";
  out.fields["title"] = out.title;
  out.fields["text"] = out.text;
  return out;
}

std::string_view sender_name(language in) noexcept { return sender.in(in); }

} // namespace ringmaster::core
