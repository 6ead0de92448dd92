#include <cstdio>
#include <iterator>
#include <sstream>

#include <nlohmann/json.hpp>

#include "apps/commands/commands.hpp"
#include "apps/server/assembly.hpp"
#include "apps/terminal/report.hpp"
#include "apps/terminal/time_text.hpp"
#include "core/cron/cron.hpp"
#include "core/zone/zone.hpp"

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

std::vector<std::string> cron_fields(const std::string& expression) {
  std::istringstream text{expression};
  return {std::istream_iterator<std::string>{text}, {}};
}

std::string cron_text(const std::vector<std::string>& fields) {
  std::string text;
  for (const auto& field : fields)
    text.append(text.empty() ? "" : " ").append(field);
  return text;
}

/// Converts a crontab day-of-week field (0 and 7 are Sunday) to Quartz (1 is Sunday). Steps stay unchanged.
std::string days_from_crontab(const std::string& field) {
  std::string out;
  bool is_step = false;
  for (const char c : field) {
    is_step = c == '/' || (is_step && c >= '0' && c <= '9');
    const bool is_day = c >= '0' && c <= '7' && !is_step;
    out += is_day ? static_cast<char>('1' + (c - '0') % 7) : c;
  }
  return out;
}

constexpr std::size_t day_field = 3, week_day_field = 5;

/// Returns the expressions that may have been meant: exactly one of the two day fields is `?`. Two if both of them name days.
std::vector<std::string> corrections_of(const std::vector<std::string>& fields) {
  const auto& of_month = fields[day_field];
  const auto& of_week = fields[week_day_field];
  std::vector<std::string> out;
  const auto add_with = [&](std::size_t field, const char* value) {
    auto some = fields;
    some[field] = value;
    if (auto text = cron_text(some); core::cron_expression::parse(text))
      out.push_back(std::move(text));
  };
  if (of_month == "?" && of_week == "?")
    add_with(day_field, "*");
  else if (of_month != "?" && of_week != "?") {
    if (of_month != "*" || of_week == "*")
      add_with(week_day_field, "?");
    if (of_week != "*")
      add_with(day_field, "?");
  } else if (core::cron_expression::parse(cron_text(fields)))
    out.push_back(cron_text(fields));
  return out;
}

/// Returns lines with the expressions that were probably meant; empty if no correction gives a valid expression.
std::string advice_on(const std::string& expression) {
  constexpr std::size_t crontab_fields = 5;
  auto fields = cron_fields(expression);
  std::string why = "either day of month or day of week must be ?";
  if (fields.size() == crontab_fields) {
    fields.back() = days_from_crontab(fields.back());
    fields.insert(fields.begin(), "0");
    why =
      "this is a crontab expression with five fields; here seconds come first, either day of month or day of week is ?, "
      "and 1 is Sunday";
  }
  if (fields.size() <= crontab_fields)
    return {};
  const auto meant = corrections_of(fields);
  if (meant.empty() || meant.front() == expression)
    return {};
  if (meant.size() == 1)
    return why + "\ndid you mean \"" + meant.front() + "\"?\n";
  return why + "\ndid you mean \"" + meant[0] + "\" (days of the month) or \"" + meant[1] + "\" (days of the week)?\n";
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
    std::fprintf(stderr, "%s\n%s", cron.error().context.c_str(), advice_on(options.expression).c_str());
    return exit_usage;
  }
  print(options, next_times(*cron, *from, *where, options.count), *where);
  return exit_done;
}

} // namespace ringmaster::apps
