#include "core/job/schedule_options.hpp"

namespace ringmaster::core {

namespace {

bool is_instant(const std::optional<time_point>& t) { return !t || is_time(to_ms(*t)); }

result<void> refuse(std::string why) { return fail(errc::invalid_argument, std::move(why)); }

} // namespace

result<void> check(schedule_type type, const schedule_options& options) {
  if (type == schedule_type::none && !options.empty())
    return refuse("time_zone, interval_ms, start_at, end_at and jitter_ms need a schedule");
  if (!options.time_zone.empty() && type != schedule_type::cron)
    return refuse("time_zone: only a cron schedule has a time zone");
  if (options.interval_ms && type != schedule_type::fixed_rate)
    return refuse("interval_ms: only a fixed rate has an interval");
  if (options.interval_ms && (*options.interval_ms < interval_ms_min || *options.interval_ms > interval_ms_max))
    return refuse("interval_ms: " + std::to_string(*options.interval_ms) + " is not between " + std::to_string(interval_ms_min) +
                  " and " + std::to_string(interval_ms_max));
  if (!is_instant(options.start_at))
    return refuse("start_at: must lie between 1970 and 9999");
  if (!is_instant(options.end_at))
    return refuse("end_at: must lie between 1970 and 9999");
  if (options.start_at && options.end_at && *options.end_at < *options.start_at)
    return refuse("end_at: is before start_at");
  if (options.jitter_ms && (*options.jitter_ms < 1 || *options.jitter_ms > jitter_ms_max))
    return refuse("jitter_ms: " + std::to_string(*options.jitter_ms) + " is not between 1 and " + std::to_string(jitter_ms_max));
  return {};
}

std::string rate_text_of(std::int64_t interval_ms) { return std::to_string((interval_ms + 999) / 1000); }

} // namespace ringmaster::core
