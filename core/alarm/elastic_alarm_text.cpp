// Messages about alarms of elastic jobs.

#include <array>
#include <cstdio>

#include "core/alarm/alarm_parts.hpp"
#include "core/alarm/alarm_text.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

using elastic::alarm_cause;
using elastic::item_alarm;

constexpr localized failed_item_type{"任务项失败", "任務項失敗", "Item failed"};
constexpr localized late_type{"触发延迟", "觸發延遲", "Fire late"};
constexpr localized unowned_type{"任务项无主机", "任務項無主機", "No host"};
constexpr localized takeovers_type{"频繁接管", "頻繁接管", "Repeated takeovers"};
constexpr localized item_recovered{"任务项再次执行成功", "任務項再次執行成功", "The item succeeded again"};
constexpr localized body_failed{"任务体报告失败", "任務體報告失敗", "the body reported a failure"};
constexpr localized time_is_over{"超过执行时限", "超過執行時限", "took longer than its time limit"};
constexpr localized body_ignored{"任务体未响应取消和终止", "任務體未回應取消和終止", "the body ignored cancel and kill"};
constexpr localized host_lost{"主机丢失，且没有其他主机接管", "主機遺失，且沒有其他主機接管",
                              "the host was lost, and no other host takes the item over"};
constexpr localized too_often{"主机丢失，已达到接管次数上限", "主機遺失，已達到接管次數上限",
                              "the host was lost after the last permitted takeover (failover_max)"};

std::string_view type_of(const elastic_alarm& alarm, language in) {
  if (!alarm.cause)
    return alarm_parts::recovered_type.in(in);
  switch (kind_of(*alarm.cause)) {
  case item_alarm::failure: return failed_item_type.in(in);
  case item_alarm::late: return late_type.in(in);
  case item_alarm::unowned: return unowned_type.in(in);
  case item_alarm::takeovers: break;
  }
  return takeovers_type.in(in);
}

/// Returns the value of the field `kind`.
std::string_view kind_name(const elastic_alarm& alarm) {
  return alarm.cause ? elastic::stored_name(kind_of(*alarm.cause)) : std::string_view{"recovery"};
}

/// Returns `12.3 s`.
std::string seconds_text(std::int64_t ms) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f s", static_cast<double>(ms) / 1000);
  return text.data();
}

std::string late_text(const elastic_alarm& alarm, language in) {
  const auto at = alarm_parts::iso_time(alarm.fire);
  const auto late = seconds_text(alarm.amount);
  const bool dropped = alarm.cause == alarm_cause::dropped;
  switch (in) {
  case language::zh_cn: return "计划于 " + at + " 的触发" + (dropped ? "已按错过策略丢弃，延迟 " : "延迟 ") + late;
  case language::zh_tc: return "計劃於 " + at + " 的觸發" + (dropped ? "已按錯過策略丟棄，延遲 " : "延遲 ") + late;
  case language::en: break;
  }
  return "the fire of " + at + (dropped ? " was dropped by the misfire rule, " : " began ") + late + " late";
}

std::string unowned_text(const elastic_alarm& alarm, language in) {
  const auto count = std::to_string(alarm.amount);
  const bool waits = alarm.cause == alarm_cause::waits;
  switch (in) {
  case language::zh_cn: return (waits ? "等待主机已超过 30 秒，" : "触发时，") + count + " 个任务项没有主机";
  case language::zh_tc: return (waits ? "等待主機已超過 30 秒，" : "觸發時，") + count + " 個任務項沒有主機";
  case language::en: break;
  }
  return waits ? "the item has waited for a host for 30 s; items that wait: " + count
               : "items without a host when a fire was due: " + count;
}

std::string takeovers_text(const elastic_alarm& alarm, language in) {
  const auto count = std::to_string(alarm.amount);
  const auto since = alarm_parts::iso_time(alarm.fire);
  switch (in) {
  case language::zh_cn: return "自 " + since + " 起，任务的运行因主机丢失被接管 " + count + " 次";
  case language::zh_tc: return "自 " + since + " 起，任務的執行因主機遺失被接管 " + count + " 次";
  case language::en: break;
  }
  return "runs of the job were taken over from " + count + " lost hosts since " + since;
}

/// Returns all lines of the reason; empty for a recovery.
std::string why(const elastic_alarm& alarm, language in) {
  const auto said = alarm_parts::shortened(trimmed(alarm.message));
  const auto with_message = [&](const localized& words) { return std::string{words.in(in)} + (said.empty() ? "" : ": " + said); };
  if (!alarm.cause)
    return {};
  switch (*alarm.cause) {
  case alarm_cause::error: return said.empty() ? std::string{body_failed.in(in)} : said;
  case alarm_cause::time_limit: return with_message(time_is_over);
  case alarm_cause::ignored: return with_message(body_ignored);
  case alarm_cause::lost: return with_message(host_lost);
  case alarm_cause::takeover_limit: return with_message(too_often);
  case alarm_cause::late:
  case alarm_cause::dropped: return late_text(alarm, in);
  case alarm_cause::waits:
  case alarm_cause::unassigned: return unowned_text(alarm, in);
  case alarm_cause::takeovers: break;
  }
  return takeovers_text(alarm, in);
}

/// Returns the number of an item, or the name of a hook; empty for the whole job.
std::string item_text(const elastic_alarm& alarm) {
  if (alarm.item == elastic::before_hook_item)
    return "before all";
  if (alarm.item == elastic::after_hook_item)
    return "after all";
  return alarm.item == elastic::whole_job ? std::string{} : std::to_string(number(alarm.item));
}

std::string elastic_title(const pending_alarm& alarm) {
  const auto number_of_job = "elastic job " + std::to_string(number(alarm.elastic->job));
  if (!alarm.about)
    return number_of_job;
  const auto app = alarm_parts::one_line(alarm.about->app_name);
  return app + (app.empty() ? "" : "/") + alarm_parts::one_line(alarm.about->name);
}

std::string_view mark_of(const elastic_alarm& alarm) {
  if (!alarm.cause)
    return "[RECOVERED] ";
  switch (kind_of(*alarm.cause)) {
  case item_alarm::failure: return "[FAILED] ";
  case item_alarm::late: return "[LATE] ";
  case item_alarm::unowned: return "[NO HOST] ";
  case item_alarm::takeovers: break;
  }
  return "[TAKEOVERS] ";
}

std::string elastic_content(const elastic_alarm& alarm, std::uint64_t count, language in) {
  std::string out;
  if (count > 1)
    out = alarm_parts::times_text(count, in) + '\n';
  if (const auto item = item_text(alarm); !item.empty())
    out += "Item=" + item + '\n';
  if (number(alarm.run) != 0)
    out += "Run=" + std::to_string(number(alarm.run)) + '\n';
  if (!alarm.host.empty())
    out += "Host=" + alarm_parts::one_line(alarm.host) + '\n';
  return out + (alarm.cause ? why(alarm, in) : std::string{item_recovered.in(in)});
}

} // namespace

alarm_message elastic_message_of(const pending_alarm& alarm, std::uint64_t count, language in) {
  const auto& what = *alarm.elastic;
  const alarm_parts::cells row{alarm.about ? alarm_parts::one_line(alarm.about->group_title) : "null",
                               std::to_string(number(what.job)), alarm.about ? alarm_parts::one_line(alarm.about->name) : "",
                               std::string{type_of(what, in)}, elastic_content(what, count, in)};
  const auto& title = what.cause ? alarm_parts::subject : alarm_parts::recovered_subject;
  auto out = alarm_parts::message_from(std::string{title.in(in)}, row, kind_name(what), count, in);
  out.fields["item"] = item_text(what);
  if (number(what.run) != 0)
    out.fields["item_run"] = std::to_string(number(what.run));
  out.fields["address"] = what.host;
  if (what.fire != time_point{})
    out.fields["fire_time"] = alarm_parts::iso_time(what.fire);
  return out;
}

alarm_message plain_elastic_alarm_of(const pending_alarm& alarm, std::uint64_t count, time_point since, std::string_view link) {
  const auto& what = *alarm.elastic;
  auto out = elastic_message_of(alarm, count, language::en);
  const auto job = elastic_title(alarm);
  const auto item = item_text(what);
  const auto run = std::to_string(number(what.run));
  const auto reason = why(what, language::en);
  out.title = std::string{mark_of(what)} + job;
  auto& text = out.text;
  text = "job: " + job + " (elastic job " + std::to_string(number(what.job)) + ')';
  const auto add = [&text](std::string_view label, const std::string& value) {
    text.append("\n").append(label).append(": ").append(value);
  };
  if (!item.empty()) {
    out.title += ", item " + item;
    add("item", item);
  }
  if (number(what.run) != 0) {
    out.title += ", run " + run;
    add("run", run);
  }
  if (!reason.empty())
    out.title += ": " + alarm_parts::one_line(reason.substr(0, reason.find('\n')));
  if (what.fire != time_point{} && what.cause && kind_of(*what.cause) == item_alarm::failure)
    add("fire", alarm_parts::iso_time(what.fire));
  if (!what.host.empty())
    add("host", alarm_parts::one_line(what.host));
  if (what.attempt > 1)
    add("attempt", std::to_string(what.attempt));
  if (count > 1)
    add("reported", std::to_string(count) + " times for the same reason since " + alarm_parts::iso_time(since));
  if (!reason.empty())
    add("why", reason);
  const auto address = alarm_parts::filled(link, number(what.run), number(what.job));
  if (!address.empty())
    add("link", address);
  out.html = "<p>" + alarm_parts::lines_to_html(text) + "</p>";
  out.fields["title"] = out.title;
  out.fields["text"] = out.text;
  out.fields["link"] = address;
  return out;
}

} // namespace ringmaster::core
