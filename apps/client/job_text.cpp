#include "apps/client/job_text.hpp"

#include <array>
#include <cstdio>
#include <vector>

#include "apps/client/api_queries.hpp"
#include "apps/terminal/table_text.hpp"
#include "core/job/job.hpp"
#include "core/text/text.hpp"
#include "protocol/wire/v1/api_page.hpp"

namespace ringmaster::apps {

namespace {

using fields = std::vector<std::pair<std::string, std::string>>;

std::string shown(const api_document& object, const char* name) { return one_line(text_in(object, name)); }

std::string text_or_dash(const api_document& object, const char* name) {
  auto text = shown(object, name);
  return text.empty() ? "-" : text;
}

std::string number_text(const api_document& object, const char* name) {
  return std::to_string(number_in(object, name).value_or(0));
}

/// Returns `0 0 1 * * ?`, `every 5 s`, `every 250 ms` or `none`.
std::string schedule_text(const api_document& job) {
  if (const auto interval = number_in(job, "interval_ms"))
    return "every " + std::to_string(*interval) + " ms";
  const auto schedule = job.is_object() && job.contains("schedule") ? job["schedule"] : api_document{};
  const auto type = shown(schedule, "type");
  const auto conf = shown(schedule, "conf");
  if (type == core::stored_name(core::schedule_type::cron))
    return conf;
  if (type == core::stored_name(core::schedule_type::fixed_rate))
    return "every " + conf + " s";
  return type == core::stored_name(core::schedule_type::none) ? "none" : type + ' ' + conf;
}

std::string children_text(const api_document& job) {
  std::string list;
  for (const auto& child : items_in(job, "children"))
    if (child.is_number_integer())
      list.append(list.empty() ? "" : ",").append(std::to_string(child.get<std::int64_t>()));
  return list;
}

} // namespace

std::string local_text(core::time_point t, const core::zone& where) {
  auto text = where.format(t);
  if (const auto ms = (t - core::cut_to_second(t)).count(); ms != 0) {
    std::array<char, 8> tail{};
    std::snprintf(tail.data(), tail.size(), ".%03d", static_cast<int>(ms));
    text += tail.data();
  }
  return text;
}

std::string instant_in(const api_document& object, const char* name, const core::zone& where, const std::string& none) {
  const auto ms = number_in(object, name);
  return ms && *ms >= 0 && *ms <= core::latest_ms ? local_text(core::from_ms(*ms), where) : none;
}

std::string title_of(const api_document& job, const group_titles& groups) {
  const auto key = shown(job, "key");
  const auto group = groups.find(number_in(job, "group").value_or(0));
  return key.empty() ? "job " + number_text(job, "id")
                     : (group == groups.end() ? std::string{"-"} : one_line(group->second)) + '/' + key;
}

std::string job_state_text(const api_document& job, const core::zone& where, core::time_point now) {
  if (boolean_in(job, "running"))
    return "scheduled";
  const auto schedule = job.is_object() && job.contains("schedule") ? job["schedule"] : api_document{};
  if (text_in(schedule, "type") == core::stored_name(core::schedule_type::none))
    return "manual";
  const auto by = shown(job, "stopped_by");
  const auto at = number_in(job, "stopped_ms");
  if (by.empty() || !at || *at < 0 || *at > core::latest_ms)
    return "stopped";
  // Includes the date only if it is not today.
  const auto when = where.format(core::from_ms(*at));
  const bool is_today = when.substr(0, 10) == where.format(now).substr(0, 10);
  return "stopped by " + by + ", " + when.substr(is_today ? 11 : 0, is_today ? 5 : 16);
}

std::string jobs_table(const api_document& jobs, const group_titles& groups, const core::zone& where, core::time_point now) {
  std::vector<std::vector<std::string>> rows{{"ID", "JOB", "NAME", "SCHEDULE", "STATE", "NEXT (" + where.name() + ")"}};
  for (const auto& job : jobs) {
    const auto group = groups.find(number_in(job, "group").value_or(0));
    rows.push_back({number_text(job, "id"),
                    (group == groups.end() ? std::string{} : one_line(group->second)) + '/' + text_or_dash(job, "key"),
                    shown(job, "name"), schedule_text(job),
                    job_state_text(job, where, now), instant_in(job, "next_ms", where)});
  }
  return table_text(rows);
}

std::string describe_job(const api_document& job, const group_titles& groups, const core::zone& where, core::time_point now) {
  fields all{{"id", number_text(job, "id")}, {"job", title_of(job, groups)}, {"name", shown(job, "name")}};
  const auto add = [&all](const char* name, std::string value) {
    if (!value.empty())
      all.emplace_back(name, one_line(std::move(value)));
  };
  const auto jitter = number_in(job, "jitter_ms");
  const auto timeout = number_in(job, "timeout_s").value_or(0);
  add("source", text_in(job, "source"));
  add("description", text_in(job, "description"));
  add("author", text_in(job, "author"));
  add("schedule", schedule_text(job));
  add("time zone", text_in(job, "time_zone"));
  add("start", instant_in(job, "start_at_ms", where, ""));
  add("end", instant_in(job, "end_at_ms", where, ""));
  add("jitter", jitter ? std::to_string(*jitter) + " ms" : "");
  add("state", job_state_text(job, where, now));
  add("next", instant_in(job, "next_ms", where) + (number_in(job, "next_ms") ? " " + where.name() : ""));
  add("last", number_in(job, "last_ms") ? instant_in(job, "last_ms", where) + ' ' + where.name() : "never fired by its schedule");
  if (number_in(job, "missed_ms"))
    add("missed", instant_in(job, "missed_ms", where) + ' ' + where.name());
  add("handler", text_in(job, "handler"));
  add("params", text_in(job, "params"));
  add("route", text_in(job, "route"));
  add("block", text_in(job, "block"));
  add("misfire", text_in(job, "misfire"));
  add("on_unknown", text_in(job, "on_unknown"));
  if (job.is_object() && job.contains("alarm_on") && job["alarm_on"].is_array() && job["alarm_on"].size() != 2)
    add("alarm_on", job["alarm_on"].empty() ? "none" : one_line(job["alarm_on"][0].get<std::string>()));
  add("keep_logs", boolean_in(job, "keep_logs") ? "yes" : "");
  add("timeout", timeout > 0 ? std::to_string(timeout) + " s" : "none");
  add("retry", number_text(job, "retry_count"));
  add("children", children_text(job));
  return fields_text(all);
}

std::string dumped(const nlohmann::json& document) {
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

} // namespace ringmaster::apps
