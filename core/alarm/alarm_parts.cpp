#include "core/alarm/alarm_parts.hpp"

#include <cstdio>
#include <utility>

#include "core/text/text.hpp"

namespace ringmaster::core::alarm_parts {

namespace {

/// Maximum length of a run's message in an alarm, so that an e-mail stays readable.
constexpr std::size_t content_units_max = 4000;

constexpr localized heading{"监控告警明细", "監控告警明細", "monitor alarm details"};
constexpr localized group_label{"执行器", "執行器", "Executor"};
constexpr localized id_label{"任务ID", "任務ID", "Job ID"};
constexpr localized name_label{"任务描述", "任務描述", "Job description"};
constexpr localized type_label{"告警类型", "告警類型", "Alarm type"};
constexpr localized content_label{"告警内容", "告警內容", "Alarm Content"};

std::string table_of(const cells& row, language in) {
  std::string out = "<h5>" + escape_html(heading.in(in)) +
                    "：</h5><table border=\"1\" cellpadding=\"3\" "
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

} // namespace

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

std::string lines_to_html(std::string_view text) {
  std::string out;
  const auto escaped = escape_html(text);
  for (const char c : escaped)
    c == '\n' ? out.append("<br>") : out.append(1, c);
  return out;
}

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

std::string filled(std::string_view link, std::int64_t run, std::int64_t job) {
  std::string out{link};
  const auto put = [&out](std::string_view mark, const std::string& value) {
    for (auto at = out.find(mark); at != std::string::npos; at = out.find(mark, at + value.size()))
      out.replace(at, mark.size(), value);
  };
  put("{run}", std::to_string(run));
  put("{job}", std::to_string(job));
  return out;
}

alarm_message message_from(std::string title, const cells& row, std::string_view kind, std::uint64_t count, language in) {
  alarm_message out;
  out.title = std::move(title);
  out.text = lines_of(row, in);
  out.html = table_of(row, in);
  // Every name exists, so that a message never shows an unexpanded name.
  for (const char* name : {"log_id", "address", "fire_time", "trigger_code", "handle_code", "retry_left", "item", "item_run"})
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

} // namespace ringmaster::core::alarm_parts
