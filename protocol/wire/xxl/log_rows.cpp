// Runs, their logs and figures in the form for XXL's clients (XXL admin §8.5, §8.7).

#include <chrono>
#include <utility>

#include "core/run/trigger_text.hpp"
#include "core/text/result_text.hpp"
#include "protocol/wire/json/json_object.hpp"
#include "protocol/wire/xxl/admin_rows.hpp"
#include "protocol/wire/xxl/html_text.hpp"
#include "protocol/wire/xxl/row_time.hpp"

namespace ringmaster::protocol::wire {

namespace {

constexpr int empty_chart_days = 7;

/// Returns the text of a Java admin with the HTML that it makes let through; the text of our own notes is made here.
std::string trigger_html(const core::log_row& run, reply_style style) {
  auto note = core::decode_trigger_note(run.trigger_msg);
  if (!note)
    return safe_html(run.trigger_msg, html_from::trigger);
  core::trigger_story story;
  story.note = std::move(*note);
  story.manual_addresses = !story.note.addresses.empty();
  story.address = run.executor_address;
  story.handler = run.executor_handler;
  story.param = run.executor_param;
  story.code = run.trigger_code;
  return core::trigger_text(story, style.language,
                            style.dialect == dialect::xxl2 ? core::trigger_tail::answer : core::trigger_tail::remark);
}

/// Appends a column that XXL-JOB leaves NULL when it is empty.
void append_filled(json_object& row, std::string_view name, std::string_view value) {
  if (value.empty())
    row.null(name);
  else
    row.text(name, value);
}

void append_run(std::string& out, const core::log_row& run, const core::zone& where, reply_style style) {
  json_object row{out};
  row.number("id", number(run.id));
  row.number("jobGroup", number(run.group));
  row.number("jobId", number(run.job));
  append_filled(row, "executorAddress", run.executor_address);
  row.text("executorHandler", run.executor_handler);
  row.text("executorParam", run.executor_param);
  append_filled(row, "executorShardingParam", run.executor_sharding_param);
  row.number("executorFailRetryCount", run.fail_retry_count);
  append_time(row, "triggerTime", run.trigger_time, where, style.dialect);
  row.number("triggerCode", run.trigger_code);
  row.text("triggerMsg", trigger_html(run, style));
  const bool is_over = run.handle_code != 0;
  append_time(row, "handleTime", is_over ? run.handle_time : std::nullopt, where, style.dialect);
  row.number("handleCode", run.handle_code);
  if (is_over)
    row.text("handleMsg", core::result_text(run.handle_msg, style.language)); // data, as XXL-JOB sends it
  else
    row.null("handleMsg");
  row.number("alarmStatus", run.alarm_status);
}

std::string day_text(std::chrono::local_days day) {
  return core::zone{}.format(core::time_point{day.time_since_epoch()}).substr(0, std::string_view{"yyyy-MM-dd"}.size());
}

std::chrono::local_days local_day(core::time_point midnight, const core::zone& where) {
  return std::chrono::floor<std::chrono::days>(where.to_local(midnight));
}

/// Returns the counts of one kind, of each day.
template <class Count>
std::string column(const std::vector<core::run_counts>& days, Count count) {
  return json_array(days, [count](std::string& out, const auto& each) { append_json(out, count(each)); });
}

} // namespace

std::string run_rows(const std::vector<core::log_row>& runs, const core::zone& where, reply_style style) {
  return json_array(runs, [&](std::string& out, const auto& each) { append_run(out, each, where, style); });
}

std::string chart(const std::vector<core::day_report>& days, core::time_point today, const core::zone& where) {
  std::vector<std::string> names;
  std::vector<core::run_counts> counts;
  core::run_counts sum;
  for (const auto& each : days) {
    names.push_back(day_text(local_day(each.day, where)));
    counts.push_back(each.counts);
    sum += each.counts;
  }
  for (int back = empty_chart_days - 1; days.empty() && back >= 0; --back) {
    names.push_back(day_text(local_day(today, where) - std::chrono::days{back}));
    counts.emplace_back();
  }
  const auto running = [](const core::run_counts& each) { return each.running; };
  const auto succeeded = [](const core::run_counts& each) { return each.succeeded; };
  const auto failed = [](const core::run_counts& each) { return each.failed(); };
  return json_object_of([&](json_object& row) {
    row.raw("triggerDayList", json_array(names));
    row.raw("triggerDayCountRunningList", column(counts, running));
    row.raw("triggerDayCountSucList", column(counts, succeeded));
    row.raw("triggerDayCountFailList", column(counts, failed));
    row.number("triggerCountRunningTotal", running(sum));
    row.number("triggerCountSucTotal", succeeded(sum));
    row.number("triggerCountFailTotal", failed(sum));
  });
}

std::string log_part(std::int32_t from_line, std::int32_t to_line, std::string_view text, bool end) {
  return json_object_of([&](json_object& row) {
    row.number("fromLineNum", from_line);
    row.number("toLineNum", to_line);
    row.text("logContent", safe_html(text, html_from::log));
    row.boolean("end", end);
  });
}

} // namespace ringmaster::protocol::wire
