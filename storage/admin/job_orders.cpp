// Lists of jobs with conditions and orders of our own API, and the jobs that are due first.

#include "storage/admin/job_orders.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <unordered_set>
#include <utility>

#include "storage/admin/last_runs.hpp"
#include "storage/admin/listed_groups.hpp"
#include "storage/rows/job_paging.hpp"

namespace ringmaster::storage {

namespace {

#define RINGMASTER_JOBS_WITH_ROWS                                                                                                \
  " FROM xxl_job_info i LEFT JOIN rm_job_ext x ON x.job = i.id LEFT JOIN rm_schedule s ON s.job = i.id"
// An unset condition costs a comparison. The order is that of `values_of`.
#define RINGMASTER_FINER_TERMS                                                                                                   \
  " WHERE (? = '' OR $listed(i.job_group)) AND (? < 0 OR CASE WHEN i.trigger_status = 1 THEN 1 ELSE 0 END = ?)"                  \
  " AND (? = '' OR INSTR(LOWER(i.$job_name), LOWER(?)) > 0) AND (? = '' OR INSTR(LOWER(i.executor_handler), LOWER(?)) > 0)"      \
  " AND (? = '' OR INSTR(LOWER(i.author), LOWER(?)) > 0) AND (? = '' OR i.schedule_type = ?) AND (? = '' OR i.glue_type = ?)"    \
  " AND (? < 0 OR CASE WHEN x.job_key IS NULL THEN 0 ELSE 1 END = ?)"                                                            \
  " AND (? = '' OR (x.job_key IS NOT NULL AND x.source = ?))"                                                                    \
  " AND (? = '' OR i.id = ? OR INSTR(LOWER(i.$job_name), LOWER(?)) > 0 OR INSTR(LOWER(i.executor_handler), LOWER(?)) > 0"        \
  " OR INSTR(LOWER(i.author), LOWER(?)) > 0 OR INSTR(LOWER(x.job_key), LOWER(?)) > 0)"
#define RINGMASTER_ORDERED_JOBS(value, mark, past, direction)                                                                    \
  "SELECT i.id" RINGMASTER_JOBS_WITH_ROWS RINGMASTER_FINER_TERMS " AND (? = 0 OR " value past mark " OR (" value " = " mark      \
  " AND i.id" past "?)) ORDER BY " value direction ", i.id" direction " LIMIT ?"
#define RINGMASTER_UPWARDS(value, mark) RINGMASTER_ORDERED_JOBS(value, mark, " > ", "")
#define RINGMASTER_DOWNWARDS(value, mark) RINGMASTER_ORDERED_JOBS(value, mark, " < ", " DESC")

// Jobs without a next time come last in either direction.
#define RINGMASTER_NEXT_OR_LATEST                                                                                                \
  "CASE WHEN COALESCE($planned_next, 0) > 0 THEN $planned_next ELSE 9223372036854775807 END"
#define RINGMASTER_NEXT "COALESCE($planned_next, 0)"
#define RINGMASTER_LAST "COALESCE($planned_last, 0)"
#define RINGMASTER_REVISION "COALESCE(s.revision, 0)"
#define RINGMASTER_LOWER_NAME "LOWER(i.$job_name)"

constexpr std::int64_t no_next = std::numeric_limits<std::int64_t>::max();

constexpr sql_text count_finer{
  "SELECT COUNT(*) FROM xxl_job_info i LEFT JOIN rm_job_ext x ON x.job = i.id" RINGMASTER_FINER_TERMS};
constexpr sql_text list_finer{
  "SELECT i.id FROM xxl_job_info i LEFT JOIN rm_job_ext x ON x.job = i.id" RINGMASTER_FINER_TERMS
  " ORDER BY i.id DESC LIMIT ? OFFSET ?"};
constexpr sql_text list_oldest{
  "SELECT i.id FROM xxl_job_info i LEFT JOIN rm_job_ext x ON x.job = i.id" RINGMASTER_FINER_TERMS
  " AND i.id > ? ORDER BY i.id LIMIT ?"};

/// Returns the statement of an order by a value.
sql_text ordered(core::job_order order, bool descending) {
  switch (order) {
  case core::job_order::name:
    return descending ? sql_text{RINGMASTER_DOWNWARDS(RINGMASTER_LOWER_NAME, "LOWER(?)")}
                      : sql_text{RINGMASTER_UPWARDS(RINGMASTER_LOWER_NAME, "LOWER(?)")};
  case core::job_order::next:
    return descending ? sql_text{RINGMASTER_DOWNWARDS(RINGMASTER_NEXT, "?")}
                      : sql_text{RINGMASTER_UPWARDS(RINGMASTER_NEXT_OR_LATEST, "?")};
  case core::job_order::last:
    return descending ? sql_text{RINGMASTER_DOWNWARDS(RINGMASTER_LAST, "?")}
                      : sql_text{RINGMASTER_UPWARDS(RINGMASTER_LAST, "?")};
  case core::job_order::updated:
  case core::job_order::newest:
  case core::job_order::oldest: break;
  }
  return descending ? sql_text{RINGMASTER_DOWNWARDS(RINGMASTER_REVISION, "?")}
                    : sql_text{RINGMASTER_UPWARDS(RINGMASTER_REVISION, "?")};
}

constexpr sql_text soonest_of_all{"SELECT job FROM rm_schedule WHERE next_ms > 0 ORDER BY next_ms, job LIMIT ?"};
constexpr sql_text soonest_of_groups{"SELECT s.job FROM rm_schedule s JOIN xxl_job_info i ON i.id = s.job"
                                     " WHERE s.next_ms > 0 AND $listed(i.job_group) ORDER BY s.next_ms, s.job LIMIT ?"};
// In shared mode the schedule is XXL's table, which has an index on these columns.
constexpr sql_text soonest_when_shared{"SELECT i.id FROM xxl_job_info i WHERE i.trigger_status = 1 AND i.trigger_next_time > 0"
                                       " AND (? = '' OR $listed(i.job_group)) ORDER BY i.trigger_next_time, i.id LIMIT ?"};

#undef RINGMASTER_LOWER_NAME
#undef RINGMASTER_REVISION
#undef RINGMASTER_LAST
#undef RINGMASTER_NEXT
#undef RINGMASTER_NEXT_OR_LATEST
#undef RINGMASTER_DOWNWARDS
#undef RINGMASTER_UPWARDS
#undef RINGMASTER_ORDERED_JOBS
#undef RINGMASTER_FINER_TERMS
#undef RINGMASTER_JOBS_WITH_ROWS

/// Returns the id that a text may be, otherwise 0, which no job has.
std::int64_t id_in_text(const std::string& text) {
  std::int64_t id = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), id);
  return problem == std::errc{} && end == text.data() + text.size() ? id : 0;
}

std::int64_t tristate(const std::optional<bool>& value) { return value ? std::int64_t{*value} : -1; }

/// Returns the values of the conditions. The texts live in the arguments.
std::vector<sql_value> values_of(const core::job_search& search, const std::string& groups) {
  std::vector<sql_value> out;
  const auto twice = [&out](const auto& value) { out.insert(out.end(), 2, value_of(value)); };
  twice(groups);
  twice(tristate(search.running));
  for (const auto* part : {&search.name_part, &search.handler_part, &search.author_part, &search.schedule_type,
                           &search.glue_type})
    twice(*part);
  twice(tristate(search.declared));
  twice(search.source);
  out.push_back(value_of(search.text));
  out.push_back(value_of(id_in_text(search.text)));
  out.insert(out.end(), 4, value_of(search.text));
  return out;
}

/// Returns a text that is equal for equal conditions.
std::string question_of_finer(const core::job_search& search, const std::string& groups) {
  std::string out = "finer " + std::to_string(tristate(search.running)) + std::to_string(tristate(search.declared)) + groups;
  for (const auto* part : {&search.name_part, &search.handler_part, &search.author_part, &search.schedule_type,
                           &search.glue_type, &search.source, &search.text})
    out += ' ' + std::to_string(part->size()) + ':' + *part;
  return out;
}

std::vector<core::job_id> ids_in(sql_rows found) {
  std::vector<core::job_id> out;
  while (found.next())
    out.push_back(found.id<core::job_id>(0));
  return out;
}

std::int64_t count_of(admin_session& own, const core::job_search& search, const std::string& groups, seen_totals& totals) {
  const std::optional<std::vector<core::group_id>> any;
  const auto last_edit = own.paths_of(search, any)->last_edit();
  const auto question = question_of_finer(search, groups);
  const auto known = last_edit ? totals.find(question, *last_edit, seen_totals::clock::now()) : std::nullopt;
  if (known)
    return *known;
  auto counted = own.query_with(count_finer, values_of(search, groups));
  const auto total = counted.next() ? counted.number(0) : 0;
  if (last_edit)
    totals.keep(question, *last_edit, total, seen_totals::clock::now());
  return total;
}

core::error too_many_to_sort() {
  return {core::errc::invalid_argument, "sort: more than " + std::to_string(core::sorted_jobs_max) +
                                          " jobs match; narrow them by group, running, type, glue_type, source or q"};
}

/// Adds the place after which the page begins, and the number of rows.
void add_place(std::vector<sql_value>& values, const core::job_search& search, std::size_t limit) {
  static const core::job_place start;
  const auto& place = search.after ? *search.after : start;
  const bool last_ones = search.order == core::job_order::next && !search.descending && place.number == 0;
  const auto value = search.order == core::job_order::name ? value_of(place.text) : value_of(last_ones ? no_next : place.number);
  values.push_back(value_of(search.after.has_value()));
  values.push_back(value);
  values.push_back(value);
  values.push_back(value_of(place.job));
  values.push_back(value_of(limit));
}

bool is_by_value(core::job_order order) noexcept {
  return order != core::job_order::newest && order != core::job_order::oldest;
}

/// Returns the jobs from the beginning of the page on. `found`: all jobs of the list, newest first.
std::vector<core::job_id> from_page_on(admin_session& own, const core::job_search& search, const std::string& groups,
                                       std::vector<core::job_id> found) {
  if (search.order == core::job_order::newest) {
    found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(std::min(search.window.offset, found.size())));
    return found;
  }
  if (search.order == core::job_order::oldest) {
    std::reverse(found.begin(), found.end());
    std::erase_if(found, [&](core::job_id job) { return search.after && job <= search.after->job; });
    return found;
  }
  auto values = values_of(search, groups);
  add_place(values, search, static_cast<std::size_t>(core::sorted_jobs_max));
  auto out = ids_in(own.query_with(ordered(search.order, search.descending), values));
  const std::unordered_set<core::job_id> wanted{found.begin(), found.end()};
  std::erase_if(out, [&wanted](core::job_id job) { return !wanted.contains(job); });
  return out;
}

/// Finds a page of jobs by the status of their last run, for which the ids of all jobs are read that meet the other conditions.
core::result<ordered_jobs> find_by_last_run(admin_session& own, const core::job_search& search, const std::string& groups,
                                            const core::principal& by) {
  auto values = values_of(search, groups);
  values.push_back(value_of(std::numeric_limits<std::int32_t>::max()));
  values.push_back(value_of(0));
  const auto all = ids_in(own.query_with(list_finer, values));
  if (is_by_value(search.order) && all.size() > static_cast<std::size_t>(core::sorted_jobs_max))
    return tl::unexpected{too_many_to_sort()};
  auto found = jobs_with_last_run(own, all, search.last_statuses, by);
  if (!found)
    return tl::unexpected{std::move(found.error())};
  const auto limit = std::min(search.window.limit, core::page_rows_max);
  ordered_jobs out;
  out.total = static_cast<std::int64_t>(found->size());
  out.ids = from_page_on(own, search, groups, std::move(*found));
  out.more = out.ids.size() > limit;
  out.ids.resize(std::min(out.ids.size(), limit));
  return out;
}

} // namespace

bool is_finer(const core::job_search& search) noexcept {
  return !search.text.empty() || !search.schedule_type.empty() || !search.glue_type.empty() || search.declared ||
         !search.source.empty() || !search.last_statuses.empty() || search.order != core::job_order::newest;
}

core::result<ordered_jobs> find_ordered(admin_session& own, const core::job_search& search,
                                        const std::optional<std::vector<core::group_id>>& groups, const core::principal& by,
                                        seen_totals& totals) {
  const auto limit = std::min(search.window.limit, core::page_rows_max);
  const auto list = listed_groups(groups);
  if (!search.last_statuses.empty())
    return find_by_last_run(own, search, list, by);
  ordered_jobs out;
  out.total = count_of(own, search, list, totals);
  auto values = values_of(search, list);
  if (search.order == core::job_order::newest) {
    values.push_back(value_of(limit));
    values.push_back(value_of(search.window.offset));
    out.ids = ids_in(own.query_with(list_finer, values));
    out.more = static_cast<std::int64_t>(search.window.offset + out.ids.size()) < out.total;
    return out;
  }
  if (search.order == core::job_order::oldest) {
    values.push_back(value_of(search.after.value_or(core::job_place{}).job));
    values.push_back(value_of(limit + 1));
    out.ids = ids_in(own.query_with(list_oldest, values));
  } else {
    if (out.total > core::sorted_jobs_max)
      return tl::unexpected{too_many_to_sort()};
    add_place(values, search, limit + 1);
    out.ids = ids_in(own.query_with(ordered(search.order, search.descending), values));
  }
  out.more = out.ids.size() > limit;
  out.ids.resize(std::min(out.ids.size(), limit));
  return out;
}

core::result<soonest_jobs> find_soonest(admin_session& own, const std::optional<std::vector<core::group_id>>& groups,
                                        std::size_t limit) {
  const auto mode = own.mode();
  if (!mode)
    return tl::unexpected{mode.error()};
  const bool shared = *mode == core::cluster_mode::shared;
  const auto list = listed_groups(groups);
  soonest_jobs out;
  out.ids = ids_in(shared    ? own.query(soonest_when_shared, list, list, limit + 1)
                   : groups ? own.query(soonest_of_groups, list, limit + 1)
                            : own.query(soonest_of_all, limit + 1));
  out.more = out.ids.size() > limit;
  out.ids.resize(std::min(out.ids.size(), limit));
  return out;
}

} // namespace ringmaster::storage
