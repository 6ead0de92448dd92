#include "core/elastic/stored_rows.hpp"

#include <limits>
#include <string>

#include "core/elastic/elastic_fields.hpp"
#include "core/elastic/plan.hpp"

namespace ringmaster::core::elastic {

namespace {

/// Above all versions and fences of many years; the next ones still fit.
constexpr std::int64_t counter_max = std::numeric_limits<std::int64_t>::max() / 2;

bool is_counter(std::int64_t value) { return value >= 0 && value <= counter_max; }
bool is_moment(time_point at) { return to_ms(at) >= 0 && to_ms(at) <= latest_ms; }

result<void> invalid(const std::string& what) { return fail(errc::invalid_argument, what); }

result<void> check_job(const elastic_job_row& job) {
  if (auto total = check_total(job.what.total); !total)
    return total;
  for (const auto& field : elastic_fields) {
    const auto value = field.get(job.what.options);
    if (field.kind != option_kind::number || std::holds_alternative<std::monostate>(value))
      continue;
    if (number_of(value) < field.min || number_of(value) > field.max)
      return invalid(std::string{field.name} + ": " + std::to_string(number_of(value)));
  }
  if (!is_counter(job.version) || !is_counter(job.revision) || job.status > job_status::draining)
    return invalid("version, revision or status");
  return is_moment(job.last) && is_moment(job.next.value_or(time_point{})) ? result<void>{} : invalid("instants");
}

bool is_sound(const item_row& row) {
  const bool is_item = number(row.item) >= number(after_hook_item) && number(row.item) < items_max;
  const bool counts = is_counter(number(row.fence)) && is_counter(number(row.run)) && is_counter(number(row.cancel_run));
  return is_item && counts && row.state <= stored_item_state::wanted && row.lease.count() >= 0 && row.lease <= lease_max
         && is_moment(row.granted) && is_moment(row.cause.fire.at);
}

bool is_sound(const request_row& row) {
  const bool fits = !row.param || row.param->size() <= static_cast<std::size_t>(param_bytes);
  return fits && is_moment(row.at) && row.policy <= request_policy::coalesce;
}

} // namespace

result<void> check(const adopted_job& of) {
  if (auto job = check_job(of.job); !job)
    return job;
  for (const auto& row : of.items)
    if (!is_sound(row))
      return invalid("row of item " + std::to_string(number(row.item)));
  for (const auto& row : of.fires)
    if (!is_moment(row.key.at) || row.state > fire_state::dropped)
      return invalid("row of the fire at " + std::to_string(to_ms(row.key.at)));
  for (const auto& row : of.requests)
    if (!is_sound(row))
      return invalid("request " + std::to_string(number(row.id)));
  for (const auto& row : of.cursors)
    if (row.value.size() > cursor_bytes)
      return invalid("cursor of item " + std::to_string(number(row.item)));
  return of.plan && !is_counter(of.plan->version) ? invalid("version of the plan") : result<void>{};
}

} // namespace ringmaster::core::elastic
