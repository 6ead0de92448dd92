#include "core/schedule.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/text.hpp"

namespace ringmaster::core {

namespace {

result<seconds> parse_rate(std::string_view conf) {
  const auto rate = parse_int32(conf);
  if (!rate)
    return fail(errc::invalid_argument, "For input string: \"" + valid_utf8(conf) + "\"");
  if (*rate < 1)
    return fail(errc::invalid_argument, "a fixed rate is at least 1 second, not " + std::to_string(*rate));
  return seconds{*rate};
}

/// How many instants lie from `first` up to `now`: counted while they are few, else the count goes on at the same pace.
std::size_t count_missed(const schedule& rule, time_point first, time_point now) {
  constexpr std::size_t counted_max = 32, missed_max = 1000;
  std::size_t missed = 0;
  auto instant = first;
  while (instant <= now && missed < counted_max) {
    ++missed;
    const auto next = rule.next(instant);
    if (!next)
      return missed;
    instant = *next;
  }
  if (instant > now)
    return missed;
  const auto pace = (instant - first) / static_cast<std::int64_t>(missed);
  return std::min(missed_max, missed + static_cast<std::size_t>((now - instant) / pace) + 1);
}

job_plan plan_misfire(job_plan plan, const due_job& due, const schedule& rule, time_point now) {
  if (due.spec->misfire == misfire_policy::fire_once_now) {
    plan.firings.push_back({now, true});
    plan.last = now;
  } else {
    plan.dropped = count_missed(rule, due.next, now);
  }
  plan.next = rule.next(now);
  return plan;
}

} // namespace

result<schedule> schedule::compile(schedule_type type, std::string_view conf, const zone& where) {
  schedule compiled;
  if (type == schedule_type::cron) {
    auto expression = cron_expression::parse(conf);
    if (!expression)
      return tl::unexpected{std::move(expression.error())};
    compiled.rule_ = std::pair{std::make_shared<const cron_expression>(std::move(*expression)), where};
  } else if (type == schedule_type::fixed_rate) {
    const auto rate = parse_rate(conf);
    if (!rate)
      return tl::unexpected{rate.error()};
    compiled.rule_ = *rate;
  } else if (type == schedule_type::unknown) {
    return fail(errc::invalid_argument, "the schedule type is none of NONE, CRON and FIX_RATE");
  }
  return compiled;
}

std::optional<time_point> schedule::next(time_point after) const {
  if (const auto* rate = std::get_if<seconds>(&rule_))
    return std::chrono::ceil<seconds>(after + *rate);
  if (const auto* cron = std::get_if<std::pair<std::shared_ptr<const cron_expression>, zone>>(&rule_))
    return cron->first->next(after, cron->second);
  return std::nullopt;
}

job_plan plan(const due_job& due, const schedule& rule, const plan_window& window) {
  job_plan plan;
  plan.id = due.spec->id;
  plan.expected_next = plan.last = due.next;
  if (window.now > due.next + window.misfire_after)
    return plan_misfire(std::move(plan), due, rule, window.now);
  plan.next = due.next;
  const auto firings_max = std::max<std::size_t>(window.firings_max, 1);
  while (plan.next && *plan.next <= window.now + window.horizon && plan.firings.size() < firings_max) {
    plan.last = *plan.next;
    plan.firings.push_back({plan.last, false});
    plan.next = rule.next(plan.last);
  }
  return plan;
}

} // namespace ringmaster::core
