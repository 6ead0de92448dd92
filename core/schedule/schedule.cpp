#include "core/schedule/schedule.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "core/text/text.hpp"

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

/// Mixes the bits of a number. Equal on every machine and release: it decides when a job with a jitter fires.
std::uint64_t mixed(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Counts the instants from `first` up to `now`.
std::size_t count_missed(const schedule& rule, job_id of, time_point first, time_point now) {
  return first <= due_since_ever ? 0 : 1 + rule.count(first, now, of);
}

job_plan plan_misfire(job_plan plan, const due_job& due, const schedule& rule, time_point now) {
  const auto missed = count_missed(rule, plan.id, due.next, now);
  // After the job's `end_at` nothing may happen, including a late start.
  if (due.spec->misfire == misfire_policy::fire_once_now && !rule.is_over(now)) {
    plan.firings.push_back({now, true});
    plan.last = now;
    plan.merged = missed > 0 ? missed - 1 : 0;
  } else {
    plan.dropped = missed;
    if (plan.dropped > 0)
      plan.last_dropped = rule.last_up_to(due.next, now, plan.id);
  }
  plan.next = rule.next(now, plan.id);
  return plan;
}

} // namespace

result<schedule> schedule::compile(schedule_type type, std::string_view conf, const zone& where,
                                   const schedule_options& options) {
  if (auto fits = check(type, options); !fits)
    return tl::unexpected{std::move(fits.error())};
  schedule compiled;
  if (type == schedule_type::cron) {
    auto expression = cron_expression::parse(conf);
    if (!expression)
      return tl::unexpected{std::move(expression.error())};
    compiled.rule_ = std::pair{std::make_shared<const cron_expression>(std::move(*expression)), where};
  } else if (type == schedule_type::fixed_rate) {
    const auto rate = options.interval_ms ? result<seconds>{} : parse_rate(conf);
    if (!rate)
      return tl::unexpected{rate.error()};
    // If each instant were counted from the one before, a delayed instant would not show which one it was.
    if (options.interval_ms || options.start_at || options.jitter_ms)
      compiled.rule_ = grid{options.interval_ms ? milliseconds{*options.interval_ms} : milliseconds{*rate},
                            options.start_at.value_or(time_point{})};
    else
      compiled.rule_ = *rate;
  } else if (type == schedule_type::unknown) {
    return fail(errc::invalid_argument, "unknown schedule type; expected NONE, CRON or FIX_RATE");
  }
  compiled.start_ = options.start_at;
  compiled.end_ = options.end_at;
  compiled.jitter_ = milliseconds{options.jitter_ms.value_or(0)};
  return compiled;
}

std::optional<time_point> schedule::unbounded(time_point after) const {
  if (const auto* rate = std::get_if<seconds>(&rule_))
    return std::chrono::ceil<seconds>(after + *rate);
  if (const auto* cron = std::get_if<std::pair<std::shared_ptr<const cron_expression>, zone>>(&rule_))
    return cron->first->next(after, cron->second);
  if (const auto* even = std::get_if<grid>(&rule_)) {
    auto steps = (after - even->origin) / even->step;
    if (even->origin + steps * even->step <= after) // before the origin the division is rounded up
      ++steps;
    return even->origin + steps * even->step;
  }
  return std::nullopt;
}

std::optional<time_point> schedule::nominal(time_point after) const {
  if (start_ && after < *start_)
    after = *start_ - milliseconds{1};
  auto instant = unbounded(after);
  return instant && end_ && *instant > *end_ ? std::nullopt : instant;
}

// The delay ends before the next instant, so that instants keep their order and never coincide.
std::optional<time_point> schedule::spread(std::optional<time_point> instant, job_id of) const {
  if (!instant || jitter_.count() == 0)
    return instant;
  auto room = jitter_;
  if (const auto following = nominal(*instant))
    room = std::min(room, *following - *instant - milliseconds{1});
  if (end_)
    room = std::min(room, *end_ - *instant);
  const auto bits = mixed(mixed(static_cast<std::uint64_t>(number(of))) ^ static_cast<std::uint64_t>(to_ms(*instant)));
  return *instant + milliseconds{static_cast<std::int64_t>(bits % static_cast<std::uint64_t>(room.count() + 1))};
}

std::optional<time_point> schedule::next(time_point after, job_id of) const {
  if (jitter_.count() == 0)
    return nominal(after);
  // Only the last instant up to `after` can be delayed to after it. Bisection finds it, because rules only look forward.
  auto last = nominal(after - jitter_);
  if (!last || *last > after)
    return spread(last, of);
  auto end = after;
  for (auto following = nominal(*last); following && *following <= after; following = nominal(*last)) {
    const auto middle = *last + (end - *last) / 2;
    if (const auto found = nominal(middle); found && *found <= after)
      last = found;
    else
      end = middle;
  }
  const auto put_off = spread(last, of);
  return *put_off > after ? put_off : spread(nominal(*last), of);
}

std::optional<time_point> schedule::at_or_after(time_point instant, time_point from, job_id of) const {
  if (const auto* rate = std::get_if<seconds>(&rule_)) {
    const auto gap = from - instant;
    auto steps = gap / milliseconds{*rate};
    if (gap % milliseconds{*rate} > milliseconds{0})
      ++steps;
    const auto found = instant + steps * milliseconds{*rate};
    return end_ && found > *end_ ? std::nullopt : std::optional{found};
  }
  return next(from - milliseconds{1}, of);
}

time_point schedule::last_up_to(time_point instant, time_point until, job_id of) const {
  if (end_)
    until = std::min(until, *end_);
  for (auto following = next(instant, of); following && *following <= until; following = next(instant, of)) {
    instant = *following;
    // Each of its instants follows from another one alone.
    if (const auto* rate = std::get_if<seconds>(&rule_))
      return instant + (until - instant) / milliseconds{*rate} * milliseconds{*rate};
    // Uses bisection, because rules only look forward.
    for (auto end = until; end - instant > milliseconds{1};) {
      const auto middle = instant + (end - instant) / 2;
      if (const auto found = next(middle, of); found && *found <= until)
        instant = *found;
      else
        end = middle;
    }
  }
  return instant;
}

std::size_t schedule::count(time_point after, time_point until, job_id of) const {
  if (end_)
    until = std::min(until, *end_);
  if (until <= after)
    return 0;
  auto found = count_nominal(after, until);
  // Delayed instants keep their order, so only the two ends need a check.
  if (jitter_.count() != 0 && puts_off_over(after, of))
    ++found;
  if (jitter_.count() != 0 && puts_off_over(until, of))
    --found;
  return found;
}

std::size_t schedule::count_nominal(time_point after, time_point until) const {
  if (start_ && after < *start_)
    after = *start_ - milliseconds{1};
  if (const auto* cron = std::get_if<std::pair<std::shared_ptr<const cron_expression>, zone>>(&rule_))
    return static_cast<std::size_t>(cron->first->count(after, until, cron->second));
  const auto first = nominal(after);
  if (!first || *first > until)
    return 0;
  const auto* rate = std::get_if<seconds>(&rule_);
  const auto step = rate != nullptr ? milliseconds{*rate} : std::get<grid>(rule_).step;
  return static_cast<std::size_t>((until - *first) / step) + 1;
}

std::optional<milliseconds> schedule::even_step() const noexcept {
  if (jitter_.count() != 0)
    return std::nullopt;
  if (const auto* rate = std::get_if<seconds>(&rule_))
    return milliseconds{*rate};
  const auto* even = std::get_if<grid>(&rule_);
  return even != nullptr ? std::optional{even->step} : std::nullopt;
}

bool schedule::puts_off_over(time_point t, job_id of) const { return next(t, of) != spread(nominal(t), of); }

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
    plan.next = rule.next(plan.last, plan.id);
  }
  return plan;
}

} // namespace ringmaster::core
