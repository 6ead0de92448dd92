#include "config/declared/declared_writer.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/declared/table_text.hpp"
#include "core/text/text.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::config {

namespace {

std::string escape_of(unsigned char c) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "\\u%04X", unsigned{c});
  return text.data();
}

void write_schedule(table_text& out, const core::declared_job& job) {
  if (job.timing.interval_ms)
    out.number("interval_ms", *job.timing.interval_ms);
  else if (job.schedule == core::schedule_type::cron)
    out.raw("schedule", "{ cron = " + quoted_text(job.schedule_conf) + " }");
  else if (job.schedule == core::schedule_type::fixed_rate)
    out.raw("schedule", "{ rate = " + quoted_text(job.schedule_conf + 's') + " }");
}

void write_option(table_text& out, const core::job_option& field, const core::option_value& value) {
  switch (field.kind) {
  case core::option_kind::text:
  case core::option_kind::choice: return out.text(field.name, core::text_of(value));
  case core::option_kind::names: {
    const auto names = core::names_in(field, value);
    return out.list(field.name, {names.begin(), names.end()});
  }
  case core::option_kind::number: return out.number(field.name, core::number_of(value));
  case core::option_kind::instant: return out.raw(field.name, core::instant_text(core::from_ms(core::number_of(value))));
  case core::option_kind::flag: return out.raw(field.name, "true");
  }
}

/// Writes the options that are not the default; the interval is part of the schedule.
void write_options(table_text& out, const core::job_options& options, bool of_schedule) {
  for (const auto& field : core::job_option_fields())
    if (field.shapes_schedule == of_schedule && field.name != "interval_ms" && !field.is_default(options))
      write_option(out, field, field.get(options));
}

std::vector<std::string> child_names(const core::declared_job& job) {
  std::vector<std::string> out;
  for (const auto& [group, key] : job.children)
    out.push_back(group.empty() ? key : group + '/' + key);
  return out;
}

} // namespace

std::string quoted_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : core::valid_utf8(text))
    switch (c) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\b': out += "\\b"; break;
    case '\t': out += "\\t"; break;
    case '\n': out += "\\n"; break;
    case '\f': out += "\\f"; break;
    case '\r': out += "\\r"; break;
    default:
      if (const auto byte = static_cast<unsigned char>(c); byte < 0x20 || byte == 0x7F)
        out += escape_of(byte);
      else
        out += c;
    }
  return out + '"';
}

std::string comment_text(std::string_view lines) {
  std::string out;
  const auto text = core::valid_utf8(lines);
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    auto line = text.substr(at, end - at);
    std::replace_if(line.begin(), line.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
    out += (line.empty() ? "#" : "# ") + line + '\n';
    at = end + 1;
  }
  return out;
}

std::string declared_text(const core::declared_group& group) {
  table_text out{"group"};
  out.text("app_name", group.app_name);
  if (group.title != group.app_name)
    out.text("title", group.title);
  if (group.addresses)
    out.list("addresses", *group.addresses);
  return std::move(out).take();
}

std::string declared_text(const core::declared_job& job) {
  table_text out{"job"};
  const core::declared_job usual;
  out.text("group", job.group);
  out.text("key", job.key);
  if (job.name != job.key)
    out.text("name", job.name);
  out.optional("author", job.author);
  out.optional("alarm_email", job.alarm_email);
  write_schedule(out, job);
  write_options(out, job, true);
  if (job.glue_type != usual.glue_type)
    out.text("glue_type", job.glue_type);
  out.text("handler", job.handler);
  out.optional("params", job.params);
  out.choice("route", job.route, usual.route);
  out.choice("block", job.block, usual.block);
  out.choice("misfire", job.misfire, job.names_misfire ? std::nullopt : std::optional{usual.misfire});
  write_options(out, job, false);
  if (job.timeout_s != 0)
    out.number("timeout", job.timeout_s);
  if (job.retry_count != 0)
    out.number("retry", job.retry_count);
  if (!job.children.empty())
    out.list("children", child_names(job));
  if (!job.enabled)
    out.raw("enabled", "false");
  return std::move(out).take();
}

std::string declared_text(const core::declared_alarm& alarm) {
  const auto& rule = alarm.rule;
  table_text out{"alarm"};
  out.text("key", rule.key);
  out.optional("group", rule.group);
  out.optional("job", rule.job);
  if (!rule.channels.empty())
    out.list("channels", rule.channels);
  if (!rule.mail_to.empty())
    out.list("mail_to", rule.mail_to);
  out.choice("on", rule.on, core::alarm_rule{}.on);
  if (rule.dedup)
    out.number("dedup", rule.dedup->count() / 1000);
  if (!rule.kinds.empty()) {
    std::vector<std::string> kinds;
    for (const auto kind : rule.kinds)
      kinds.emplace_back(core::elastic::stored_name(kind));
    out.list("kinds", kinds);
  }
  if (rule.recovered)
    out.raw("recovered", "true");
  return std::move(out).take();
}

} // namespace ringmaster::config
