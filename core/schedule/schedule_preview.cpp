#include "core/schedule/schedule_preview.hpp"

#include <string>
#include <utility>

#include "core/job/job.hpp"
#include "core/schedule/schedule.hpp"
#include "core/schedule/schedule_rules.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core {

result<std::vector<time_point>> preview(std::string_view type, std::string_view conf, time_point now, const zone& where,
                                        const schedule_options& options, std::size_t count) {
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
