#include <cstdio>

#include <nlohmann/json.hpp>

#include "apps/assembly.hpp"
#include "apps/commands.hpp"
#include "apps/report.hpp"
#include "apps/time_text.hpp"
#include "core/cron.hpp"
#include "core/zone.hpp"

namespace ringmaster::apps {

namespace {

std::vector<core::time_point> next_times(const core::cron_expression& cron, core::time_point from, const core::zone& where,
                                         std::size_t count) {
  std::vector<core::time_point> times;
  for (auto next = cron.next(from, where); next && times.size() < count; next = cron.next(*next, where))
    times.push_back(*next);
  return times;
}

void print(const cron_options& options, const std::vector<core::time_point>& times, const core::zone& where) {
  if (options.json) {
    nlohmann::json document{{"expression", options.expression}, {"zone", where.name()}, {"next_ms", nlohmann::json::array()}};
    for (auto t : times)
      document["next_ms"].push_back(core::to_ms(t));
    std::printf("%s\n", document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    return;
  }
  for (auto t : times)
    std::printf("%s %s  %s\n", where.format(t).c_str(), where.name().c_str(), iso_utc(t).c_str());
  if (times.empty())
    std::printf("never again\n");
}

} // namespace

int cron_next(const cron_options& options) {
  auto where = options.zone.empty() ? core::zone::system() : core::zone::find(options.zone);
  if (!where)
    return complain({core::errc::invalid_argument, (options.zone.empty() ? "TZ: " : "--zone: ") + where.error().context});
  auto from = options.from.empty() ? core::result<core::time_point>{system_now()} : parse_time(options.from, *where);
  if (!from)
    return complain({from.error().code, "--from: " + from.error().context});
  auto cron = core::cron_expression::parse(options.expression);
  if (!cron) {
    std::fprintf(stderr, "%s\n", cron.error().context.c_str());
    return exit_usage;
  }
  print(options, next_times(*cron, *from, *where, options.count), *where);
  return exit_done;
}

} // namespace ringmaster::apps
