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

/// Returns a value that is out of its range, with its column.
std::string at(std::string_view column, std::int64_t value) { return std::string{column} + " = " + std::to_string(value); }

result<void> check_job(const elastic_job_row& job) {
  if (!check_total(job.what.total))
    return invalid(at("ej_job.total", job.what.total));
  for (const auto& field : elastic_fields) {
    const auto value = field.get(job.what.options);
    if (field.kind != option_kind::number || std::holds_alternative<std::monostate>(value))
      continue;
    if (number_of(value) < field.min || number_of(value) > field.max)
      return invalid(at("ej_job." + std::string{field.column}, number_of(value)));
  }
  if (!is_counter(job.version))
    return invalid(at("ej_job.version", job.version));
  if (job.status > job_status::draining)
    return invalid(at("ej_job.status", static_cast<std::int64_t>(job.status)));
  if (!is_counter(job.revision))
    return invalid(at("ej_schedule.revision", job.revision));
  if (!is_moment(job.last))
    return invalid(at("ej_schedule.last_ms", to_ms(job.last)));
  if (job.next && !is_moment(*job.next))
    return invalid(at("ej_schedule.next_ms", to_ms(*job.next)));
  return {};
}

/// Returns the first value of a row of `ej_item`, or of its run, that is out of its range; empty: none.
std::string fault_of(const item_row& row) {
  if (number(row.item) < number(after_hook_item) || number(row.item) >= items_max)
    return at("ej_item.item", number(row.item));
  if (!is_counter(number(row.fence)))
    return at("ej_item.fence", number(row.fence));
  if (row.state > stored_item_state::wanted)
    return at("ej_item.state", static_cast<std::int64_t>(row.state));
  if (!is_counter(number(row.run)))
    return at("ej_item.run", number(row.run));
  if (!is_counter(number(row.cancel_run)))
    return at("ej_item.cancel_run", number(row.cancel_run));
  if (row.lease.count() < 0 || row.lease > lease_max)
    return at("ej_item.lease_ms", row.lease.count());
  if (!is_moment(row.granted))
    return at("ej_run.granted_ms", to_ms(row.granted));
  return is_moment(row.cause.fire.at) ? std::string{} : at("ej_run.fire_ms", to_ms(row.cause.fire.at));
}

/// As above, of a row of `ej_request`.
std::string fault_of(const request_row& row) {
  if (row.param && row.param->size() > static_cast<std::size_t>(param_bytes))
    return "ej_request.param is too long";
  if (!is_moment(row.at))
    return at("ej_request.at_ms", to_ms(row.at));
  return row.policy > request_policy::coalesce ? at("ej_request.policy", static_cast<std::int64_t>(row.policy)) : std::string{};
}

/// Items that one message names.
constexpr std::size_t named_max = 10;

} // namespace

result<void> check(const adopted_job& of) {
  if (auto job = check_job(of.job); !job)
    return job;
  for (const auto& row : of.items)
    if (const auto fault = fault_of(row); !fault.empty())
      return invalid(fault + " (item " + std::to_string(number(row.item)) + ")");
  for (const auto& row : of.fires) {
    if (!is_moment(row.key.at))
      return invalid(at("ej_fire.fire_ms", to_ms(row.key.at)));
    if (row.state > fire_state::dropped)
      return invalid(at("ej_fire.state", static_cast<std::int64_t>(row.state)) + " (fire_ms " + std::to_string(to_ms(row.key.at))
                     + ")");
  }
  for (const auto& row : of.requests)
    if (const auto fault = fault_of(row); !fault.empty())
      return invalid(fault + " (request " + std::to_string(number(row.id)) + ")");
  for (const auto& row : of.cursors)
    if (row.value.size() > cursor_bytes)
      return invalid("ej_cursor.value is too long (item " + std::to_string(number(row.item)) + ")");
  return of.plan && !is_counter(of.plan->version) ? invalid(at("ej_plan.version", of.plan->version)) : result<void>{};
}

std::string missing_rows(const adopted_job& of) {
  std::int32_t next = 0;
  std::size_t missing = 0;
  std::string named;
  const auto miss_until = [&](std::int32_t until) {
    for (; next < until; ++next)
      if (++missing <= named_max)
        named += (named.empty() ? "" : ", ") + std::to_string(next);
  };
  for (const auto& row : of.items)
    if (number(row.item) >= next && number(row.item) < of.job.what.total) {
      miss_until(number(row.item));
      ++next;
    }
  miss_until(of.job.what.total);
  if (missing == 0)
    return {};
  return "ej_item has no row for " + std::to_string(missing) + " of " + std::to_string(of.job.what.total) + " items: " + named
         + (missing > named_max ? ", ..." : "") + "; they do not run: reduce the number of items, then enlarge it again";
}

} // namespace ringmaster::core::elastic
