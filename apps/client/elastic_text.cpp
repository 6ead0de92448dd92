#include "apps/client/elastic_text.hpp"

#include <utility>
#include <vector>

#include "apps/client/api_queries.hpp"
#include "apps/terminal/table_text.hpp"

namespace ringmaster::apps {

namespace {

using elastic_rows = std::vector<std::vector<std::string>>;

std::string elastic_word(const api_document& object, const char* name, const char* none = "-") {
  auto text = one_line(text_in(object, name));
  return text.empty() ? none : text;
}

std::string elastic_number(const api_document& object, const char* name) {
  const auto number = number_in(object, name);
  return number ? std::to_string(*number) : "-";
}

std::string elastic_title(const api_document& job) {
  const auto name_space = one_line(text_in(job, "namespace"));
  return (name_space.empty() ? "" : name_space + '/') + one_line(text_in(job, "name"));
}

std::string elastic_group(const api_document& job, const group_titles& groups) {
  const auto found = groups.find(number_in(job, "group").value_or(0));
  return found == groups.end() ? "-" : one_line(found->second);
}

/// `type` and `text` of a schedule: `0 0 1 * * ?`, `every 5 s`, `none`.
std::string elastic_schedule(const std::string& type, const std::string& text) {
  if (type == "fixed_rate")
    return "every " + text + " s";
  return type == "none" || type.empty() ? "none" : text;
}

std::string status_word(const api_document& job) {
  const auto status = one_line(text_in(job, "status"));
  return status == "shut_down" ? "shut down" : status;
}

/// Returns `missed, disabled` of the marks that are set.
std::string marks_of(const api_document& item) {
  std::string out;
  for (const auto* mark : {"missed", "disabled", "surplus", "cancelled"})
    if (boolean_in(item, mark))
      out.append(out.empty() ? "" : ", ").append(mark);
  return out.empty() ? "-" : out;
}

std::string value_word(const api_document& value) {
  return one_line(value.is_string() ? value.get<std::string>() : json_line(value));
}

std::string ranges_of(const api_document& share) {
  std::string out;
  for (const auto& range : items_in(share, "ranges")) {
    const auto first = number_in(range, "first").value_or(0), last = number_in(range, "last").value_or(0);
    out.append(out.empty() ? "" : ",").append(std::to_string(first));
    if (last != first)
      out.append("-").append(std::to_string(last));
  }
  return out;
}

} // namespace

core::result<std::int64_t> find_elastic_job(api_client& client, const std::string& text) {
  const auto slash = text.rfind('/');
  const auto name = slash == std::string::npos ? text : text.substr(slash + 1);
  query_text list{"/elastic/jobs"};
  list.add("name", name);
  const auto page = ask_all(client, list);
  if (!page)
    return tl::unexpected{page.error()};
  std::vector<std::int64_t> found;
  for (const auto& job : items_in(*page))
    if (text_in(job, "name") == name && (slash == std::string::npos || text_in(job, "namespace") == text.substr(0, slash)))
      found.push_back(number_in(job, "id").value_or(0));
  if (found.size() == 1)
    return found.front();
  if (found.size() > 1)
    return core::fail(core::errc::conflict,
                      "several namespaces have an elastic job " + one_line(name) + "; write namespace/name");
  if (const auto id = parse_id(text))
    return *id;
  return core::fail(core::errc::not_found, "unknown elastic job " + one_line(text));
}

std::string elastic_jobs_table(const api_document& jobs, const group_titles& groups, const core::zone& where) {
  elastic_rows rows{{"ID", "JOB", "GROUP", "ITEMS", "SCHEDULE", "STATUS", "NEXT"}};
  for (const auto& job : jobs)
    rows.push_back({elastic_number(job, "id"), elastic_title(job), elastic_group(job, groups), elastic_number(job, "total"),
                    elastic_schedule(text_in(job, "schedule_type"), one_line(text_in(job, "schedule"))), status_word(job),
                    instant_in(job, "next_ms", where)});
  return table_text(rows);
}

std::string describe_elastic_job(const api_document& job, const group_titles& groups, const core::zone& where) {
  const auto options = job.is_object() && job.contains("options") ? job["options"] : api_document{};
  const auto items = job.is_object() && job.contains("items") ? job["items"] : api_document{};
  std::vector<std::pair<std::string, std::string>> fields{
    {"id", elastic_number(job, "id")},
    {"job", elastic_title(job)},
    {"group", elastic_group(job, groups)},
    {"handler", elastic_word(job, "handler")},
    {"status", status_word(job)},
    {"items", elastic_number(job, "total") + ": " + elastic_number(items, "running") + " running, "
                + elastic_number(items, "waiting") + " waiting, " + elastic_number(items, "disabled") + " disabled"},
    {"schedule", elastic_schedule(text_in(options, "schedule_type"), one_line(text_in(options, "schedule")))},
    {"next", instant_in(job, "next_ms", where)},
    {"last", instant_in(job, "last_ms", where)},
    {"declared by", elastic_word(job, "source")},
    {"requests", elastic_number(job, "requests")},
  };
  if (!options.is_object())
    return fields_text(fields);
  for (const auto& [name, value] : options.items())
    if (name != "schedule_type" && name != "schedule" && !value.is_null() && value != "" && value != false && value != 0)
      fields.emplace_back(one_line(name), value_word(value));
  return fields_text(fields);
}

std::string elastic_items_table(const api_document& items, const core::zone& where) {
  elastic_rows rows{{"ITEM", "STATE", "HOST", "PLANNED", "RUN", "SINCE", "MARKS", "PARAM"}};
  for (const auto& item : items) {
    const auto gap = one_line(text_in(item, "gap"));
    rows.push_back({elastic_number(item, "item"), elastic_word(item, "state"), elastic_word(item, "host"),
                    elastic_word(item, "planned_host", gap.empty() ? "-" : gap.c_str()), elastic_number(item, "run"),
                    instant_in(item, "granted_ms", where), marks_of(item), elastic_word(item, "param")});
  }
  return table_text(rows);
}

namespace {

/// Returns the item of a run, or the name of the hook that the run is a call of.
std::string elastic_run_item(const api_document& run) {
  const auto item = number_in(run, "item").value_or(0);
  return item == -1 ? "before_all" : item == -2 ? "after_all" : elastic_number(run, "item");
}

} // namespace

std::string elastic_history_table(const api_document& runs, const core::zone& where) {
  elastic_rows rows{{"RUN", "ITEM", "STATE", "SOURCE", "HOST", "GRANTED", "ENDED", "MESSAGE"}};
  for (const auto& run : runs) {
    const auto attempt = number_in(run, "attempt").value_or(1);
    rows.push_back({elastic_number(run, "run"), elastic_run_item(run), elastic_word(run, "state"),
                    elastic_word(run, "source") + (attempt > 1 ? ' ' + std::to_string(attempt) : ""), elastic_word(run, "host"),
                    instant_in(run, "granted_ms", where), instant_in(run, "ended_ms", where), elastic_word(run, "message")});
  }
  return table_text(rows);
}

std::string elastic_hosts_table(const api_document& hosts) {
  elastic_rows rows{{"HOST", "APP", "STATE", "MODE", "IP", "PID", "SLOTS", "LABELS", "KEEPER"}};
  for (const auto& host : hosts)
    rows.push_back({elastic_word(host, "id"), elastic_word(host, "app_name"), elastic_word(host, "state"),
                    elastic_word(host, "mode"), elastic_word(host, "ip"), elastic_number(host, "pid"),
                    elastic_number(host, "capacity"), elastic_word(host, "labels"), elastic_word(host, "keeper")});
  return table_text(rows);
}

std::string elastic_servers_table(const api_document& servers) {
  elastic_rows rows{{"IP", "UP", "SILENT", "DOWN", "DISABLED", "RUNNING", "JOBS", "DISABLED JOBS", "HOSTS"}};
  for (const auto& server : servers) {
    std::string hosts;
    for (const auto& host : items_in(server, "hosts"))
      hosts += (hosts.empty() ? "" : ", ") + value_word(host);
    rows.push_back({elastic_word(server, "ip"), elastic_number(server, "up"), elastic_number(server, "silent"),
                    elastic_number(server, "down"), elastic_number(server, "disabled"), elastic_number(server, "running"),
                    elastic_number(server, "jobs"), elastic_number(server, "disabled_jobs"), std::move(hosts)});
  }
  return table_text(rows);
}

std::string elastic_dump_text(const api_document& lines) {
  std::string out;
  for (const auto& line : lines)
    out += one_line(text_in(line, "path")) + " | " + one_line(text_in(line, "value")) + '\n';
  return out;
}

std::string elastic_plan_table(const api_document& shares) {
  elastic_rows rows{{"HOST", "ITEMS", "REASON"}};
  for (const auto& share : shares)
    rows.push_back({elastic_word(share, "host"), ranges_of(share), elastic_word(share, "gap")});
  return table_text(rows);
}

} // namespace ringmaster::apps
