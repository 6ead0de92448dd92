#include "config/declared/declared_table.hpp"

#include <algorithm>

#include "core/job/job_options.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::config {

std::optional<core::time_point> read_instant(table_fields& in, std::string_view key) {
  const toml::node* given = in.node(key);
  if (!given)
    return std::nullopt;
  const auto* value = given->as_date_time();
  if (!value || !value->get().offset) {
    in.refuse(key, "expected a date and time with its offset, without quotes, such as 2026-12-01T08:00:00+08:00");
    return std::nullopt;
  }
  const auto& [date, time, offset] = value->get();
  const std::chrono::year_month_day day{std::chrono::year{date.year}, std::chrono::month{date.month}, std::chrono::day{date.day}};
  return std::chrono::sys_days{day} + std::chrono::hours{time.hour} + std::chrono::minutes{time.minute - offset->minutes} +
         core::seconds{time.second} + core::milliseconds{time.nanosecond / 1'000'000};
}

void read_interval(table_fields& in, core::declared_job& job) {
  if (!in.node("interval_ms"))
    return;
  if (in.node("schedule"))
    return in.refuse("interval_ms", "excludes schedule: it already defines a fixed rate");
  job.timing.interval_ms = in.number("interval_ms", core::interval_ms_min, core::interval_ms_max, core::interval_ms_min);
  job.schedule = core::schedule_type::fixed_rate;
  job.schedule_conf = core::rate_text_of(*job.timing.interval_ms);
}

namespace {

void check_zone(table_fields& in, const core::declared_job& job) {
  if (job.timing.time_zone.empty())
    return;
  if (const auto found = core::zone::find(job.timing.time_zone); !found)
    in.refuse("time_zone", found.error().context);
}

core::option_value read_names(table_fields& in, const core::job_option& field) {
  const auto given = in.texts(field.name);
  if (!given)
    return {};
  for (const auto& each : *given)
    if (std::find(field.names.begin(), field.names.end(), each) == field.names.end()) {
      std::string expected;
      for (const auto name : field.names)
        expected.append(expected.empty() ? "\"" : " and \"").append(name) += '"';
      in.refuse(field.name, "\"" + each + "\" is unknown; expected " + expected + ", one of them, or []");
    }
  return core::value_of_names(field, *given);
}

/// Reads one option of the table; nothing when the file does not name it.
core::option_value read_option(table_fields& in, const core::job_option& field) {
  if (!in.node(field.name))
    return {};
  switch (field.kind) {
  case core::option_kind::text: {
    auto text = in.text(field.name, {static_cast<std::size_t>(field.min), static_cast<std::size_t>(field.max)});
    return text.empty() ? core::option_value{} : core::option_value{std::move(text)};
  }
  case core::option_kind::choice: {
    auto name = in.choice(field.name, field.names);
    return name ? core::option_value{std::move(*name)} : core::option_value{};
  }
  case core::option_kind::names: return read_names(in, field);
  case core::option_kind::number: {
    // 0 switches off an option that has no effect at 0.
    const auto number = in.number(field.name, field.min == 1 ? 0 : field.min, field.max, field.min == 1 ? 0 : field.min);
    return number == 0 ? core::option_value{} : core::option_value{number};
  }
  case core::option_kind::instant: {
    const auto t = read_instant(in, field.name);
    return t ? core::option_value{core::to_ms(*t)} : core::option_value{};
  }
  case core::option_kind::flag: return in.flag(field.name, false) ? core::option_value{std::int64_t{1}} : core::option_value{};
  }
  return {};
}

/// Shows the line of the option that the message begins with.
void refuse_option(table_fields& in, const std::string& why) {
  const auto colon = why.find(": ");
  const std::string key = why.substr(0, colon);
  if (colon != std::string::npos && in.node(key))
    return in.refuse(key, why.substr(colon + 2));
  in.refuse("schedule", why);
}

} // namespace

void read_options(table_fields& in, core::declared_job& job) {
  for (const auto& field : core::job_option_fields())
    if (field.name != "interval_ms")
      field.set(job, read_option(in, field));
  read_interval(in, job);
  check_zone(in, job);
  if (const auto fits = core::check(job.schedule, job.timing); !fits)
    refuse_option(in, fits.error().context);
}

} // namespace ringmaster::config
