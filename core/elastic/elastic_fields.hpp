#pragma once

// Options of an elastic job: one row of this table is the key of declared files and of the API, the column of `ej_job`,
// ElasticJob's name, the limit and the default (elastic design §7). Everything that reads, writes, compares or hashes options
// walks it.

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "core/columns.hpp"
#include "core/elastic/elastic_definition.hpp"
#include "core/elastic/item_params.hpp"
#include "core/job/job_options.hpp"

namespace ringmaster::core::elastic {

/// One option.
struct elastic_field {
  /// Key of declared files, member of the API, name in messages. Durations there have units; columns have milliseconds.
  std::string_view name = {};
  std::string_view column = {};
  /// ElasticJob's name; empty: it has no such option.
  std::string_view alias = {};
  option_kind kind{};
  /// Range of a number; characters of a text, bytes if it is long.
  std::int64_t min = 0;
  std::int64_t max = 0;
  /// The column holds NULL for an option that is not set.
  bool is_optional = false;
  /// A text that no VARCHAR can hold.
  bool is_long = false;
  /// Names of a choice, in the order of its enum.
  std::span<const std::string_view> names = {};
  option_value (*get)(const elastic_options&) = nullptr;
  /// Takes what a column holds; an unknown name of a choice leaves the default.
  void (*set)(elastic_options&, const option_value&) = nullptr;
  /// The option decides when the job fires.
  bool shapes_schedule = false;
  /// Migration step that made the column.
  int step = 22;

  [[nodiscard]] constexpr bool is_text() const noexcept { return kind == option_kind::text || kind == option_kind::choice; }
  /// Returns the value of a job that does not set the option.
  [[nodiscard]] option_value default_value() const { return get(elastic_options{}); }
};

/// Longest duration of an option: 365 days.
inline constexpr std::int64_t duration_ms_max = std::int64_t{365} * 24 * 3600 * 1000;
/// Longest list of names or labels, in characters.
inline constexpr std::int64_t name_list_chars = 1024;
/// Longest name of a strategy, pool or handler of errors.
inline constexpr std::int64_t type_name_chars = 64;
/// Longest parameter of a job, in bytes.
inline constexpr std::int64_t param_bytes = std::int64_t{64} << 10U;

namespace fields {

inline constexpr std::array<std::string_view, 3> schedule_types{"none", "cron", "fixed_rate"};
inline constexpr std::array<std::string_view, 2> host_orders{"desc-string", "asc-natural"};
inline constexpr std::array<std::string_view, 2> fallbacks{"wait", "borrow"};
inline constexpr std::array<std::string_view, 3> fence_modes{"by_nodes", "fast", "orphan"};
inline constexpr std::array<std::string_view, 3> trigger_policies{"discard", "queue", "coalesce"};

template <auto Member>
constexpr elastic_field text(std::string_view name, std::string_view alias, std::int64_t max, bool is_long = false) {
  return {.name = name,
          .column = name,
          .alias = alias,
          .kind = option_kind::text,
          .max = max,
          .is_long = is_long,
          .get = [](const elastic_options& of) { return option_value{of.*Member}; },
          .set = [](elastic_options& to, const option_value& value) { to.*Member = text_of(value); }};
}

template <auto Member>
constexpr elastic_field flag(std::string_view name, std::string_view column, std::string_view alias) {
  return {.name = name,
          .column = column,
          .alias = alias,
          .kind = option_kind::flag,
          .max = 1,
          .get = [](const elastic_options& of) { return option_value{std::int64_t{of.*Member}}; },
          .set = [](elastic_options& to, const option_value& value) { to.*Member = number_of(value) != 0; }};
}

template <auto Member>
constexpr elastic_field duration(std::string_view name, std::string_view column, std::string_view alias, std::int64_t min = 0) {
  return {.name = name,
          .column = column,
          .alias = alias,
          .kind = option_kind::number,
          .min = min,
          .max = duration_ms_max,
          .get = [](const elastic_options& of) { return option_value{std::int64_t{(of.*Member).count()}}; },
          .set = [](elastic_options& to, const option_value& value) { to.*Member = milliseconds{number_of(value)}; }};
}

template <auto Member>
constexpr elastic_field optional_duration(std::string_view name, std::string_view column, std::string_view alias) {
  return {.name = name,
          .column = column,
          .alias = alias,
          .kind = option_kind::number,
          .max = duration_ms_max,
          .is_optional = true,
          .get = [](const elastic_options& of) {
            return of.*Member ? option_value{std::int64_t{(of.*Member)->count()}} : option_value{};
          },
          .set = [](elastic_options& to, const option_value& value) {
            (to.*Member).reset();
            if (std::holds_alternative<std::int64_t>(value))
              to.*Member = milliseconds{number_of(value)};
          }};
}

template <auto Member, const auto& Names>
constexpr elastic_field choice(std::string_view name, std::string_view column, std::string_view alias) {
  return {.name = name,
          .column = column,
          .alias = alias,
          .kind = option_kind::choice,
          .names = Names,
          .get = [](const elastic_options& of) {
            const auto at = static_cast<std::size_t>(of.*Member);
            return option_value{std::string{at < Names.size() ? Names[at] : std::string_view{}}};
          },
          .set = [](elastic_options& to, const option_value& value) {
            using choices = std::remove_reference_t<decltype(to.*Member)>;
            const auto at = std::find(Names.begin(), Names.end(), text_of(value)) - Names.begin();
            if (static_cast<std::size_t>(at) < Names.size())
              to.*Member = static_cast<choices>(at);
          }};
}

template <auto Member>
constexpr elastic_field instant(std::string_view name) {
  return {.name = name,
          .column = name,
          .kind = option_kind::instant,
          .max = std::numeric_limits<std::int64_t>::max(),
          .is_optional = true,
          .get = [](const elastic_options& of) {
            return of.timing.*Member ? option_value{to_ms(*(of.timing.*Member))} : option_value{};
          },
          .set = [](elastic_options& to, const option_value& value) {
            (to.timing.*Member).reset();
            if (std::holds_alternative<std::int64_t>(value))
              to.timing.*Member = from_ms(number_of(value));
          },
          .shapes_schedule = true};
}

template <auto Member>
constexpr elastic_field optional_number(std::string_view name, std::int64_t min, std::int64_t max) {
  return {.name = name,
          .column = name,
          .kind = option_kind::number,
          .min = min,
          .max = max,
          .is_optional = true,
          .get = [](const elastic_options& of) {
            return of.timing.*Member ? option_value{std::int64_t{*(of.timing.*Member)}} : option_value{};
          },
          .set = [](elastic_options& to, const option_value& value) {
            using number = typename std::remove_reference_t<decltype(to.timing.*Member)>::value_type;
            (to.timing.*Member).reset();
            if (std::holds_alternative<std::int64_t>(value))
              to.timing.*Member = static_cast<number>(
                std::clamp<std::int64_t>(number_of(value), 0, std::int64_t{std::numeric_limits<number>::max()}));
          },
          .shapes_schedule = true};
}

/// An unknown type in a column stays unknown: the job is not planned.
constexpr elastic_field schedule_kind() {
  return {.name = "schedule_type",
          .column = "schedule_type",
          .kind = option_kind::choice,
          .names = schedule_types,
          .get = [](const elastic_options& of) {
            const auto at = static_cast<std::size_t>(of.schedule);
            return option_value{std::string{at < schedule_types.size() ? schedule_types[at] : std::string_view{}}};
          },
          .set = [](elastic_options& to, const option_value& value) {
            const auto* at = std::find(schedule_types.begin(), schedule_types.end(), text_of(value));
            to.schedule = at == schedule_types.end() ? schedule_type::unknown
                                                     : static_cast<schedule_type>(at - schedule_types.begin());
          },
          .shapes_schedule = true};
}

constexpr elastic_field schedule_text() {
  auto out = text<&elastic_options::schedule_conf>("schedule", "cron", schedule_conf_chars);
  out.column = "schedule_conf";
  out.shapes_schedule = true;
  return out;
}

constexpr elastic_field zone_name() {
  return {.name = "time_zone",
          .column = "time_zone",
          .alias = "timeZone",
          .kind = option_kind::text,
          .max = time_zone_chars,
          .get = [](const elastic_options& of) { return option_value{of.timing.time_zone}; },
          .set = [](elastic_options& to, const option_value& value) { to.timing.time_zone = text_of(value); },
          .shapes_schedule = true};
}

constexpr elastic_field takeovers_max() {
  return {.name = "failover_max",
          .column = "failover_max",
          .kind = option_kind::number,
          .max = 254,
          .get = [](const elastic_options& of) { return option_value{std::int64_t{of.failover_max}}; },
          .set = [](elastic_options& to, const option_value& value) {
            to.failover_max = static_cast<std::int32_t>(std::clamp<std::int64_t>(number_of(value), 0, 254));
          }};
}

} // namespace fields

/// All options, in the order of their columns.
inline constexpr std::array<elastic_field, 32> elastic_fields{{
  fields::schedule_kind(),
  fields::schedule_text(),
  fields::zone_name(),
  fields::optional_number<&schedule_options::interval_ms>("interval_ms", interval_ms_min, interval_ms_max),
  fields::instant<&schedule_options::start_at>("start_at"),
  fields::instant<&schedule_options::end_at>("end_at"),
  fields::optional_number<&schedule_options::jitter_ms>("jitter_ms", 1, jitter_ms_max),
  fields::text<&elastic_options::item_params>("item_params", "shardingItemParameters", item_params_bytes_max, true),
  fields::text<&elastic_options::param>("param", "jobParameter", param_bytes, true),
  fields::text<&elastic_options::strategy>("strategy", "jobShardingStrategyType", type_name_chars),
  fields::choice<&elastic_options::order, fields::host_orders>("order", "host_order", ""),
  fields::text<&elastic_options::label>("label", "label", name_list_chars),
  fields::flag<&elastic_options::is_static>("static", "is_static", "staticSharding"),
  fields::choice<&elastic_options::static_fallback, fields::fallbacks>("static_fallback", "static_fallback", ""),
  fields::optional_duration<&elastic_options::max_time_diff>("max_time_diff", "max_time_diff_ms", "maxTimeDiffSeconds"),
  fields::flag<&elastic_options::failover>("failover", "failover", "failover"),
  fields::takeovers_max(),
  fields::flag<&elastic_options::misfire>("misfire", "misfire", "misfire"),
  fields::optional_duration<&elastic_options::misfire_max_age>("misfire_max_age", "misfire_max_age_ms", ""),
  fields::duration<&elastic_options::timeout>("timeout", "timeout_ms", ""),
  fields::duration<&elastic_options::cancel_grace>("cancel_grace", "cancel_grace_ms", ""),
  fields::choice<&elastic_options::fence_mode, fields::fence_modes>("fence_mode", "fence_mode", ""),
  fields::choice<&elastic_options::trigger_policy, fields::trigger_policies>("trigger_policy", "trigger_policy", ""),
  fields::flag<&elastic_options::streaming>("streaming", "streaming", "streaming.process"),
  fields::text<&elastic_options::pool>("pool", "jobExecutorThreadPoolSizeProviderType", type_name_chars),
  fields::text<&elastic_options::error_handler>("error_handler", "jobErrorHandlerType", type_name_chars),
  fields::text<&elastic_options::listeners>("listeners", "jobListenerTypes", name_list_chars),
  fields::text<&elastic_options::once_listeners>("once_listeners", "", name_list_chars),
  fields::duration<&elastic_options::started_timeout>("started_timeout", "started_timeout_ms", "startedTimeoutMilliseconds"),
  fields::duration<&elastic_options::completed_timeout>("completed_timeout", "completed_timeout_ms",
                                                        "completedTimeoutMilliseconds"),
  fields::text<&elastic_options::alarm_email>("alarm_email", "", alarm_email_chars),
  fields::text<&elastic_options::description>("description", "description", description_chars),
}};

} // namespace ringmaster::core::elastic
