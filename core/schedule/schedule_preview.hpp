#pragma once

// Preview of a schedule before it is saved. Pure.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/job/job.hpp"
#include "core/job/schedule_options.hpp"
#include "core/result.hpp"
#include "core/schedule/schedule.hpp"
#include "core/schedule/schedule_rules.hpp"
#include "core/text/text.hpp"
#include "core/time.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::core {

/// Number of times that XXL's console shows.
inline constexpr std::size_t previewed_times = 5;

/// Returns the next times after `now`, at most `count`; fewer for a schedule that ends. None for a type without times, an unknown
/// type, or a blank type or text (XXL admin §8.6). Errors: `invalid_argument` with `schedule_type_illegal`, whose context and
/// subject are the parser's text; without it for an option that does not fit and for an unknown zone.
[[nodiscard]] inline result<std::vector<time_point>> preview(std::string_view type, std::string_view conf, time_point now,
                                                             const zone& where, const schedule_options& options = {},
                                                             std::size_t count = previewed_times) {
  std::vector<time_point> times;
  const auto known = find_schedule_type(type);
  if (!known || *known == schedule_type::none || (is_blank(conf) && !options.interval_ms))
    return times;
  // XXL's words report errors of the text, Ringmaster's those of the options.
  if (const auto plain = schedule::compile(*known, conf, where); !plain && !options.interval_ms)
    return refuse(errc::invalid_argument, refusal::schedule_type_illegal, plain.error().context, plain.error().context);
  auto rule = schedule_rules{where}.of(*known, conf, options);
  if (!rule)
    return tl::unexpected{std::move(rule.error())};
  for (auto next = (*rule)->next(now); next && times.size() < count; next = (*rule)->next(*next))
    times.push_back(*next);
  return times;
}

} // namespace ringmaster::core
