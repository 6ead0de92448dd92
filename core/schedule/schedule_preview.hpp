#pragma once

// Preview of a schedule before it is saved. Pure.

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/job/schedule_options.hpp"
#include "core/result.hpp"
#include "core/time.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::core {

/// Number of times that XXL's console shows.
inline constexpr std::size_t previewed_times = 5;

/// Returns the next times after `now`, at most `count`; fewer for a schedule that ends. None for a type without times, an unknown
/// type, or a blank type or text (XXL admin §8.6). Errors: `invalid_argument` with `schedule_type_illegal`, whose context and
/// subject are the parser's text; without it for an option that does not fit and for an unknown zone.
[[nodiscard]] result<std::vector<time_point>> preview(std::string_view type, std::string_view conf, time_point now,
                                                      const zone& where, const schedule_options& options = {},
                                                      std::size_t count = previewed_times);

} // namespace ringmaster::core
