// Measures next fire times per second, one JSON line for each class of expression and zone. Usage: cron_bench [SECONDS], the time
// per line; default 0.5.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "core/cron/cron.hpp"

namespace {

using ringmaster::core::cron_expression;
using ringmaster::core::time_point;
using ringmaster::core::zone;
using stopwatch = std::chrono::steady_clock;

constexpr auto start = ringmaster::core::from_ms(1'700'000'000'000);

struct expression_class {
  const char* name;
  std::string_view text;
};

constexpr expression_class classes[] = {
  {"every second", "* * * * * ?"},
  {"every 5 seconds", "0/5 * * * * ?"},
  {"every minute", "0 * * * * ?"},
  {"every 5 minutes in working hours", "0 0/5 9-18 * * ?"},
  {"hourly", "0 0 * * * ?"},
  {"daily", "0 30 2 * * ?"},
  {"working days", "0 15 10 ? * MON-FRI"},
  {"monthly", "0 0 0 1 * ?"},
  {"last day of the month", "0 0 12 L * ?"},
  {"nearest weekday", "0 0 12 15W,LW * ?"},
  {"third friday", "0 15 10 ? * 6#3"},
  {"29 February", "0 0 0 29 2 ?"},
  {"with years", "0 0 0 1 1 ? 2024/7"},
  {"never", "0 0 0 30 2 ?"},
};

struct measurement {
  double per_second;
  double ns;
};

/// Steps from one fire time to the next, and starts over after the last one.
measurement walk(const cron_expression& cron, const zone& where, std::chrono::duration<double> duration) {
  const auto begin = stopwatch::now();
  auto at = start;
  std::size_t count = 0;
  std::chrono::duration<double> taken{};
  while (taken < duration) {
    for (int i = 0; i < 1000; ++i) {
      const auto next = cron.next(at, where);
      at = next ? *next : start;
    }
    count += 1000;
    taken = stopwatch::now() - begin;
  }
  return {static_cast<double>(count) / taken.count(), taken.count() * 1e9 / static_cast<double>(count)};
}

measurement parse_often(std::string_view text, std::chrono::duration<double> duration) {
  const auto begin = stopwatch::now();
  std::size_t count = 0, accepted = 0;
  std::chrono::duration<double> taken{};
  while (taken < duration) {
    for (int i = 0; i < 1000; ++i)
      accepted += cron_expression::parse(text) ? 1 : 0;
    count += 1000;
    taken = stopwatch::now() - begin;
  }
  // Using the count keeps the optimiser from removing the work.
  return {static_cast<double>(accepted) / taken.count(), taken.count() * 1e9 / static_cast<double>(count)};
}

void report(const char* what, const expression_class& each, const char* zone_name, const measurement& measured) {
  std::printf("{\"bench\":\"%s\",\"class\":\"%s\",\"expression\":\"%.*s\",\"zone\":\"%s\",\"per_second\":%.0f,\"ns\":%.1f}\n",
              what, each.name, static_cast<int>(each.text.size()), each.text.data(), zone_name, measured.per_second, measured.ns);
}

} // namespace

int main(int argc, char** argv) {
  const std::chrono::duration<double> duration{argc > 1 ? std::atof(argv[1]) : 0.5};
  for (const char* zone_name : {"UTC", "Asia/Shanghai", "America/New_York"}) {
    const auto where = zone::find(zone_name);
    if (!where) {
      std::fprintf(stderr, "cron_bench: %s\n", where.error().context.c_str());
      return 1;
    }
    for (const auto& each : classes)
      report("cron_next", each, zone_name, walk(cron_expression::parse(each.text).value(), *where, duration));
  }
  for (const auto& each : {classes[0], classes[3], classes[9]})
    report("cron_parse", each, "", parse_often(each.text, duration));
  return 0;
}
