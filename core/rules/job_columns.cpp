#include "core/rules/job_columns.hpp"

#include "core/columns.hpp"
#include "core/text/text.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::core {

namespace {

constexpr std::size_t quoted_chars = 80;

std::string quoted(std::string_view text) {
  if (fits(text, quoted_chars))
    return '"' + std::string{text} + '"';
  return '"' + std::string{cut_characters(text, quoted_chars)} + "...\"";
}

// Returns cron text alone; other schedules need their type.
std::string schedule_text(const job_columns& columns) {
  if (columns.schedule_type == stored_name(schedule_type::cron))
    return columns.schedule_conf;
  return columns.schedule_conf.empty() ? columns.schedule_type : columns.schedule_type + ' ' + columns.schedule_conf;
}

std::string shown(const job_option& field, const option_value& value) {
  switch (field.kind) {
  case option_kind::text: return std::string{text_of(value)};
  case option_kind::choice: return std::string{text_of(value)};
  case option_kind::names: {
    std::string all;
    for (const auto name : field.names)
      all.append(all.empty() ? "" : ",").append(name);
    return std::holds_alternative<std::monostate>(value) ? all : std::string{text_of(value)};
  }
  case option_kind::number: return std::holds_alternative<std::monostate>(value) ? "" : std::to_string(number_of(value));
  case option_kind::instant: return std::holds_alternative<std::monostate>(value) ? "" : instant_text(from_ms(number_of(value)));
  case option_kind::flag: return number_of(value) == 1 ? "yes" : "no";
  }
  return {};
}

/// Names and long texts are quoted, because a reader must see where they end.
bool is_quoted(const job_option& field) {
  return field.kind == option_kind::choice || field.kind == option_kind::names ||
         (field.kind == option_kind::text && field.max > static_cast<std::int64_t>(quoted_chars));
}

void add_differences(const job_options& before, const job_options& after, std::vector<audit_line>& changed) {
  for (const auto& field : job_option_fields()) {
    const auto was = shown(field, field.get(before)), is = shown(field, field.get(after));
    if (was == is)
      continue;
    if (is_quoted(field))
      changed.push_back(difference(field.name, was, is));
    else
      changed.push_back({std::string{field.name} + ": " + (was.empty() ? "none" : was) + " -> " + (is.empty() ? "none" : is),
                         {std::string{field.name}, was, is}});
  }
}

result<void> check_widths(const job_columns& columns, const column_limits& limits) {
  struct width {
    std::string_view name;
    const std::string& text;
    std::size_t chars;
  };
  const width widths[] = {
    {"name", columns.name, job_name_chars},
    {"author", columns.author, author_chars},
    {"alarm_email", columns.alarm_email, alarm_email_chars},
    {"schedule", columns.schedule_conf, schedule_conf_chars},
    {"handler", columns.handler, handler_chars},
    {"glue_type", columns.glue_type, glue_type_chars},
  };
  for (const auto& [name, text, chars] : widths)
    if (!fits(text, chars))
      return fail(errc::invalid_argument, std::string{name} + " is longer than " + std::to_string(chars) + " characters");
  if (auto fits = check_widths(columns); !fits)
    return fits;
  return check_param(columns.params, limits);
}

} // namespace

result<job_columns> columns_of(const declared_job& job, const column_limits& limits) {
  job_columns columns;
  columns.name = job.name;
  columns.author = job.author;
  columns.alarm_email = job.alarm_email;
  columns.schedule_type = stored_name(job.schedule);
  columns.schedule_conf = job.schedule_conf;
  columns.misfire = stored_name(job.misfire);
  columns.route = stored_name(job.route);
  columns.block = stored_name(job.block);
  columns.handler = job.handler;
  columns.params = job.params;
  columns.glue_type = job.glue_type;
  columns.timeout_s = job.timeout_s;
  columns.retry_count = job.retry_count;
  static_cast<job_options&>(columns) = job;
  if (auto checked = check_widths(columns, limits); !checked)
    return tl::unexpected{checked.error()};
  return columns;
}

result<void> check_widths(const job_options& options) {
  for (const auto& field : job_option_fields())
    if (!fits_column(field, field.get(options)))
      return fail(errc::invalid_argument,
                  std::string{field.name} + " is longer than " + std::to_string(field.max) + " characters");
  return {};
}

audit_line difference(std::string_view name, std::string_view before, std::string_view after) {
  return {std::string{name} + ": " + quoted(before) + " -> " + quoted(after),
          {std::string{name}, std::string{before}, std::string{after}}};
}

std::vector<audit_line> differences(const job_columns& before, const job_columns& after) {
  std::vector<audit_line> changed;
  auto text = [&changed](std::string_view name, std::string_view was, std::string_view is) {
    if (was != is)
      changed.push_back(difference(name, was, is));
  };
  auto number = [&changed](std::string_view name, std::int32_t was, std::int32_t is) {
    if (was != is)
      changed.push_back(std::string{name} + ": " + std::to_string(was) + " -> " + std::to_string(is));
  };
  text("name", before.name, after.name);
  text("author", before.author, after.author);
  text("alarm_email", before.alarm_email, after.alarm_email);
  if (before.schedule_type != after.schedule_type || before.schedule_conf != after.schedule_conf)
    changed.push_back(difference("schedule", schedule_text(before), schedule_text(after)));
  text("misfire", before.misfire, after.misfire);
  text("route", before.route, after.route);
  text("block", before.block, after.block);
  text("handler", before.handler, after.handler);
  text("params", before.params, after.params);
  text("glue_type", before.glue_type, after.glue_type);
  number("timeout", before.timeout_s, after.timeout_s);
  number("retry", before.retry_count, after.retry_count);
  add_differences(before, after, changed);
  return changed;
}

} // namespace ringmaster::core
