#include "config/declared/declared_options.hpp"

#include "core/columns.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::config {

namespace {

/// A date and time with its offset: what it means must not depend on where the file is read.
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
    return in.refuse("interval_ms", "excludes schedule: it is a fixed rate of its own");
  job.timing.interval_ms = in.number("interval_ms", core::interval_ms_min, core::interval_ms_max, core::interval_ms_min);
  job.schedule = core::schedule_type::fixed_rate;
  job.schedule_conf = core::rate_text_of(*job.timing.interval_ms);
}

void read_zone(table_fields& in, core::declared_job& job) {
  job.timing.time_zone = in.text("time_zone", {in.node("time_zone") ? std::size_t{1} : 0, core::time_zone_chars});
  if (job.timing.time_zone.empty())
    return;
  if (const auto found = core::zone::find(job.timing.time_zone); !found)
    in.refuse("time_zone", found.error().context);
}

/// The line of the option that the message begins with.
void refuse(table_fields& in, const std::string& why) {
  const auto colon = why.find(": ");
  const std::string key = why.substr(0, colon);
  if (colon != std::string::npos && in.node(key))
    return in.refuse(key, why.substr(colon + 2));
  in.refuse("schedule", why);
}

} // namespace

void read_options(table_fields& in, core::declared_job& job) {
  read_interval(in, job);
  read_zone(in, job);
  job.timing.start_at = read_instant(in, "start_at");
  job.timing.end_at = read_instant(in, "end_at");
  if (in.node("jitter_ms"))
    job.timing.jitter_ms = static_cast<std::int32_t>(in.number("jitter_ms", 0, core::jitter_ms_max, 0));
  if (job.timing.jitter_ms == 0)
    job.timing.jitter_ms.reset();
  if (const auto fits = core::check(job.schedule, job.timing); !fits)
    refuse(in, fits.error().context);
}

} // namespace ringmaster::config
