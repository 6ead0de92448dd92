#include <charconv>
#include <cstdio>
#include <optional>
#include <sstream>

#include <nlohmann/json.hpp>

#include "apps/assembly.hpp"
#include "apps/commands.hpp"
#include "apps/report.hpp"
#include "core/cron.hpp"
#include "core/zone.hpp"

namespace ringmaster::apps {

namespace {

std::optional<core::time_point> parse_epoch(const std::string& text) {
  std::int64_t ms = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), ms);
  if (problem != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return core::from_ms(ms);
}

/// `2026-11-21`, `2026-11-21T10:00:00`, with `Z` or `+08:00`; without one, in `where`.
core::result<core::time_point> parse_time(const std::string& text, const core::zone& where) {
  if (auto epoch = parse_epoch(text))
    return *epoch;
  auto wrong = core::fail(core::errc::invalid_argument, "--from: '" + text + "' is neither ISO 8601 nor epoch milliseconds");
  auto civil = text.substr(0, 19);
  auto tail = text.size() > 19 ? text.substr(19) : std::string{};
  if (civil.size() == 10)
    civil += " 00:00:00";
  if (civil.size() != 19)
    return wrong;
  civil[10] = civil[10] == 'T' ? ' ' : civil[10];
  core::milliseconds fraction{0};
  if (tail.starts_with('.')) {
    auto digits = std::min(tail.find_first_not_of("0123456789", 1), tail.size());
    fraction = core::milliseconds{std::atoi((tail.substr(1, digits - 1) + "000").substr(0, 3).c_str())};
    tail = tail.substr(digits);
  }
  auto in = tail.empty() ? where : core::zone{};
  auto parsed = in.parse(civil);
  if (!parsed)
    return wrong;
  if (tail.empty() || tail == "Z")
    return *parsed + fraction;
  int hours = 0;
  int minutes = 0;
  char sign = 0;
  if (std::sscanf(tail.c_str(), "%c%2d:%2d", &sign, &hours, &minutes) != 3 || (sign != '+' && sign != '-') || tail.size() != 6)
    return wrong;
  auto offset = std::chrono::hours{hours} + std::chrono::minutes{minutes};
  return *parsed + fraction - (sign == '+' ? offset : -offset);
}

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
    return complain({core::errc::invalid_argument, "--zone: " + where.error().context});
  auto from = options.from.empty() ? core::result<core::time_point>{system_now()} : parse_time(options.from, *where);
  if (!from)
    return complain(from.error());
  auto cron = core::cron_expression::parse(options.expression);
  if (!cron) {
    std::fprintf(stderr, "%s\n", cron.error().context.c_str());
    return exit_usage;
  }
  print(options, next_times(*cron, *from, *where, options.count), *where);
  return exit_done;
}

} // namespace ringmaster::apps
