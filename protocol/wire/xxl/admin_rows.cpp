#include "protocol/wire/xxl/admin_rows.hpp"

#include <cstdio>

#include "core/access/user_rules.hpp"
#include "protocol/wire/json/json_object.hpp"
#include "protocol/wire/xxl/row_time.hpp"

namespace ringmaster::protocol::wire {

namespace {

void append_job(std::string& out, const core::job_record& job, reply_style style) {
  json_object row{out};
  row.number("id", number(job.id));
  row.number("jobGroup", number(job.group));
  row.text("jobDesc", job.name);
  row.text("name", job.name);
  append_time(row, "addTime", job.added, core::zone{}, style.dialect);
  append_time(row, "updateTime", job.updated, core::zone{}, style.dialect);
  row.text("author", job.author);
  row.text("alarmEmail", job.alarm_email);
  row.text("scheduleType", job.schedule_type);
  row.text("scheduleConf", job.schedule_conf);
  row.text("misfireStrategy", job.misfire);
  row.text("executorRouteStrategy", job.route);
  row.text("executorHandler", job.handler);
  row.text("executorParam", job.param);
  row.text("executorBlockStrategy", job.block);
  row.number("executorTimeout", job.timeout_s);
  row.number("executorFailRetryCount", job.retry_count);
  row.text("glueType", job.glue_type);
  row.text("glueSource", job.glue_source);
  row.text("glueRemark", job.glue_remark);
  append_time(row, "glueUpdatetime", job.glue_updated, core::zone{}, style.dialect);
  row.text("childJobId", job.children);
  row.number("triggerStatus", job.running ? 1 : 0);
  row.number("triggerLastTime", core::to_ms(job.last));
  row.number("triggerNextTime", core::to_ms(job.next));
}

void append_group(std::string& out, const core::group_record& record, reply_style style) {
  const auto& group = record.group;
  json_object row{out};
  row.number("id", number(group.id));
  row.text("appname", group.app_name);
  row.text("title", group.title);
  row.text("name", group.title);
  row.number("addressType", group.type == core::address_type::automatic ? 0 : 1);
  append_time(row, "updateTime", record.updated, core::zone{}, style.dialect);
  if (group.addresses.empty()) {
    row.null("addressList");
    row.null("registryList");
    return;
  }
  std::string list;
  for (const auto& address : group.addresses)
    (list.empty() ? list : list += ',') += address;
  row.text("addressList", list);
  row.raw("registryList", json_array(group.addresses));
}

void append_user(std::string& out, const core::user_card& user) {
  json_object row{out};
  row.number("id", number(user.id));
  row.text("username", user.name);
  row.null("password");
  row.number("role", user.admin ? 1 : 0);
  row.text("permission", core::permission_text(user.rights));
  row.null("token");
}

} // namespace

std::string job_rows(const std::vector<core::job_record>& jobs, reply_style style) {
  return json_array(jobs, [style](std::string& out, const auto& each) { append_job(out, each, style); });
}

std::string group_rows(const std::vector<core::group_record>& groups, reply_style style) {
  return json_array(groups, [style](std::string& out, const auto& each) { append_group(out, each, style); });
}

std::string user_rows(const std::vector<core::user_card>& users, reply_style) {
  return json_array(users, [](std::string& out, const auto& each) { append_user(out, each); });
}

std::string group_row(const core::group_record& group, reply_style style) {
  std::string out;
  append_group(out, group, style);
  return out;
}

std::optional<core::time_point> parse_local_time(std::string_view text, const core::zone& where) {
  const auto instant = where.parse(text);
  return instant ? std::optional{*instant} : std::nullopt;
}

std::string time_list(const std::vector<core::time_point>& times, const core::zone& where) {
  return json_array(times, [&](std::string& out, core::time_point each) { append_json(out, where.format(each)); });
}

std::string local_time_text(core::time_point t, const core::zone& where) { return where.format(t); }

void append_time(json_object& row, std::string_view name, std::optional<core::time_point> t, const core::zone& where,
                 dialect which) {
  if (!t || *t == core::time_point{})
    return row.null(name);
  if (which == dialect::xxl3)
    return row.text(name, where.format(*t));
  auto text = core::zone{}.format(*t);
  text[text.find(' ')] = 'T';
  char fraction[8];
  const auto ms = (*t - core::cut_to_second(*t)).count();
  std::snprintf(fraction, sizeof fraction, ".%03d", static_cast<int>(ms));
  row.text(name, text.append(fraction).append("+00:00"));
}

} // namespace ringmaster::protocol::wire
