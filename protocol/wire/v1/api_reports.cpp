#include "protocol/wire/v1/api_reports.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>

namespace ringmaster::protocol::wire {

namespace {

/// Longest ranges of figures that are counted from the log.
constexpr std::chrono::hours hourly_range_max{31 * 24 + 1};
constexpr std::chrono::hours counted_range_max{366 * 24 + 1};

} // namespace

core::result<api_report_request> api_report_search_of(const form& sent) {
  const auto from = instant_of(sent, "from_ms");
  const auto to = instant_of(sent, "to_ms");
  if (!from || !to)
    return tl::unexpected{from ? to.error() : from.error()};
  if (!*from || !*to)
    return core::fail(core::errc::invalid_argument, "missing parameters from_ms and to_ms");
  const auto group = api_id_of(sent, "group");
  const auto job = api_id_of(sent, "job");
  if (!group || !job)
    return tl::unexpected{group ? job.error() : group.error()};
  const auto by = sent.text("by").value_or("day");
  if (by != "day" && by != "hour")
    return core::fail(core::errc::invalid_argument, "the parameter by must be day or hour");
  api_report_request out{{**from, **to, {}, {}, by == "hour"}, by == "day" && !*group && !*job};
  if (*group)
    out.search.group = core::group_id{**group};
  if (*job)
    out.search.job = core::job_id{**job};
  const auto length = **to - **from;
  if (out.search.by_hour && length > hourly_range_max)
    return core::fail(core::errc::invalid_argument, "the range must have at most 31 days by hour");
  if (!out.is_daily && length > counted_range_max)
    return core::fail(core::errc::invalid_argument, "the range must have at most 366 days for a group or a job");
  return out;
}

std::string api_reports(const std::vector<core::day_report>& days, const core::zone& where, bool by_hour) {
  const auto rows = json_array(days, [&](std::string& out, const core::day_report& each) {
    constexpr std::size_t date_chars = 10, minute_chars = 16;
    json_object row{out};
    row.text("day", where.format(each.day).substr(0, by_hour ? minute_chars : date_chars));
    row.number("day_ms", core::to_ms(each.day));
    row.number("total", each.counts.total);
    row.number("running", each.counts.running);
    row.number("succeeded", each.counts.succeeded);
    row.number("failed", each.counts.failed());
    each.median ? row.number("median_ms", each.median->count()) : row.null("median_ms");
  });
  std::optional<core::time_point> changed;
  for (const auto& each : days)
    changed = std::max(changed, each.changed); // unset is the least
  std::string out;
  {
    json_object answer{out};
    answer.raw("items", rows);
    append_instant(answer, "changed_ms", changed);
  }
  return out;
}

} // namespace ringmaster::protocol::wire
