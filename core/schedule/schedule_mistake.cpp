#include "core/schedule/schedule_mistake.hpp"

#include <utility>

#include "core/cron/cron.hpp"
#include "core/schedule/schedule.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

constexpr const char* pointer_of_conf = "/schedule/conf";

/// Returns the member that an error of the options names at its beginning.
schedule_mistake of_option(std::string detail) {
  const auto name = detail.substr(0, detail.find(':'));
  for (const auto& [option, pointer] : {std::pair{"time_zone", "/time_zone"}, std::pair{"interval_ms", "/interval_ms"},
                                        std::pair{"start_at", "/start_at_ms"}, std::pair{"end_at", "/end_at_ms"},
                                        std::pair{"jitter_ms", "/jitter_ms"}})
    if (name == option)
      return {pointer, "does_not_fit", std::move(detail)};
  return {"/schedule/type", "does_not_fit", std::move(detail)};
}

} // namespace

std::optional<schedule_mistake> find_mistake(schedule_type type, std::string_view conf, const zone& where,
                                             const schedule_options& options) {
  if (type == schedule_type::cron)
    if (auto wrong = cron_expression::find_error(conf))
      return schedule_mistake{pointer_of_conf, to_string(wrong->code), std::move(wrong->detail), wrong->position, wrong->length};
  if (auto fits = check(type, options); !fits)
    return of_option(std::move(fits.error().context));
  if (!options.time_zone.empty())
    if (auto named = zone::find(options.time_zone); !named)
      return schedule_mistake{"/time_zone", "unknown_zone", std::move(named.error().context)};
  if (auto compiled = schedule::compile(type, conf, where, options); !compiled)
    return schedule_mistake{pointer_of_conf, parse_int32(conf) ? "out_of_range" : "not_a_number",
                            std::move(compiled.error().context)};
  return std::nullopt;
}

} // namespace ringmaster::core
