#include "core/job/job_options.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "core/columns.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

constexpr std::array<std::string_view, 3> unknown_policy_names{"ask", "skip", "resend"};
constexpr std::array<std::string_view, 2> alarm_reason_names{"failed", "missed"};

option_value value_of(const std::string& text) { return text.empty() ? option_value{} : option_value{text}; }

template <class Number>
option_value value_of(const std::optional<Number>& number) {
  return number ? option_value{std::int64_t{*number}} : option_value{};
}

option_value value_of(const std::optional<time_point>& t) { return t ? option_value{to_ms(*t)} : option_value{}; }

template <std::string job_options::* Text>
constexpr void set_text(job_options& to, const option_value& value) {
  to.*Text = text_of(value);
}

template <std::optional<time_point> schedule_options::* Instant>
void set_instant(job_options& to, const option_value& value) {
  to.timing.*Instant = std::holds_alternative<std::int64_t>(value) ? std::optional{from_ms(number_of(value))} : std::nullopt;
}

constexpr std::array<job_option, 9> fields{{
  {.name = "on_unknown",
   .member = "on_unknown",
   .kind = option_kind::choice,
   .names = unknown_policy_names,
   .get = [](const job_options& of) { return option_value{std::string{stored_name(of.on_unknown)}}; },
   .set = [](job_options& to, const option_value& value) {
     to.on_unknown = find_unknown_policy(text_of(value)).value_or(unknown_policy::ask);
   }},
  {.name = "time_zone",
   .member = "time_zone",
   .kind = option_kind::text,
   .min = 1,
   .max = time_zone_chars,
   .get = [](const job_options& of) { return value_of(of.timing.time_zone); },
   .set = [](job_options& to, const option_value& value) { to.timing.time_zone = text_of(value); },
   .shapes_schedule = true},
  {.name = "interval_ms",
   .member = "interval_ms",
   .kind = option_kind::number,
   .min = interval_ms_min,
   .max = interval_ms_max,
   .get = [](const job_options& of) { return value_of(of.timing.interval_ms); },
   .set = [](job_options& to, const option_value& value) {
     to.timing.interval_ms =
       std::holds_alternative<std::int64_t>(value) ? std::optional{number_of(value)} : std::optional<std::int64_t>{};
   },
   .shapes_schedule = true},
  {.name = "start_at",
   .member = "start_at_ms",
   .kind = option_kind::instant,
   .get = [](const job_options& of) { return value_of(of.timing.start_at); },
   .set = set_instant<&schedule_options::start_at>,
   .shapes_schedule = true},
  {.name = "end_at",
   .member = "end_at_ms",
   .kind = option_kind::instant,
   .get = [](const job_options& of) { return value_of(of.timing.end_at); },
   .set = set_instant<&schedule_options::end_at>,
   .shapes_schedule = true},
  {.name = "jitter_ms",
   .member = "jitter_ms",
   .kind = option_kind::number,
   .min = 1,
   .max = jitter_ms_max,
   .get = [](const job_options& of) { return value_of(of.timing.jitter_ms); },
   .set = [](job_options& to, const option_value& value) {
     // A number that no jitter can be stays wrong: planning reports it.
     constexpr auto beyond = jitter_ms_max + std::int64_t{1};
     to.timing.jitter_ms.reset();
     if (std::holds_alternative<std::int64_t>(value))
       to.timing.jitter_ms = static_cast<std::int32_t>(std::clamp<std::int64_t>(number_of(value), 0, beyond));
   },
   .shapes_schedule = true},
  {.name = "keep_logs",
   .member = "keep_logs",
   .kind = option_kind::flag,
   .get = [](const job_options& of) { return of.keep_logs ? option_value{std::int64_t{1}} : option_value{}; },
   .set = [](job_options& to, const option_value& value) { to.keep_logs = number_of(value) == 1; }},
  {.name = "alarm_on",
   .member = "alarm_on",
   .kind = option_kind::names,
   .names = alarm_reason_names,
   .get = [](const job_options& of) {
     return of.alarm_on.is_default() ? option_value{} : option_value{std::string{stored_name(of.alarm_on)}};
   },
   .set = [](job_options& to, const option_value& value) { to.alarm_on = find_alarm_conditions(text_of(value)); }},
  {.name = "description",
   .member = "description",
   .kind = option_kind::text,
   .max = description_chars,
   .get = [](const job_options& of) { return value_of(of.description); },
   .set = set_text<&job_options::description>},
}};

} // namespace

std::span<const job_option> job_option_fields() noexcept { return fields; }

option_values values_of(const job_options& options) {
  option_values out;
  out.reserve(fields.size());
  for (const auto& field : fields)
    out.push_back(field.get(options));
  return out;
}

std::vector<std::string_view> names_in(const job_option& field, const option_value& value) {
  if (std::holds_alternative<std::monostate>(value))
    return {field.names.begin(), field.names.end()};
  std::vector<std::string_view> out;
  for (auto rest = text_of(value); !rest.empty();)
    if (const auto name = take_item(rest); std::find(field.names.begin(), field.names.end(), name) != field.names.end())
      out.push_back(name);
  return out;
}

option_value value_of_names(const job_option& field, std::span<const std::string> some) {
  std::string text;
  for (const auto name : field.names)
    if (std::find(some.begin(), some.end(), name) != some.end())
      text.append(text.empty() ? "" : ",").append(name);
  return text.empty() ? std::string{"none"} : std::move(text);
}

std::string_view text_of(const option_value& value) noexcept {
  const auto* text = std::get_if<std::string>(&value);
  return text ? std::string_view{*text} : std::string_view{};
}

bool fits_column(const job_option& field, const option_value& value) noexcept {
  return field.kind != option_kind::text || fits(text_of(value), static_cast<std::size_t>(field.max));
}

std::int64_t number_of(const option_value& value) noexcept {
  const auto* number = std::get_if<std::int64_t>(&value);
  return number ? *number : 0;
}

} // namespace ringmaster::core
