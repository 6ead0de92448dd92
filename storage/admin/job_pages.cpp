// Pages of jobs with all their columns, for users.

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>

#include "core/editing/edit_tag.hpp"
#include "core/rules/job_draft_rules.hpp"
#include "core/rules/job_edit_rules.hpp"
#include "storage/admin/job_orders.hpp"
#include "storage/admin/job_writes.hpp"
#include "storage/rows/job_record_row.hpp"

namespace ringmaster::storage {

namespace {

/// Returns as many jobs from the front as fit into one answer. Reads the lengths before the texts, because a statement's rows are
/// in memory all at once.
std::vector<core::job_id> within_budget(admin_session& own, std::vector<core::job_id> jobs) {
  std::unordered_map<core::job_id, std::size_t> sizes;
  own.query_in("SELECT id, COALESCE($bytes_of(glue_source), 0) + COALESCE($bytes_of(executor_param), 0) FROM xxl_job_info"
               " WHERE id IN ({?,})",
               jobs, [&sizes](const sql_rows& row) {
                 sizes.emplace(row.id<core::job_id>(0), static_cast<std::size_t>(row.number(1)));
               });
  core::page_budget budget;
  const auto end = std::find_if(jobs.begin(), jobs.end(), [&](core::job_id job) { return !budget.takes(sizes[job]); });
  jobs.erase(end, jobs.end());
  return jobs;
}

/// Returns the jobs that exist, in the same order.
std::vector<core::job_record> records_of(admin_session& own, const std::vector<core::job_id>& jobs) {
  std::vector<core::job_record> out;
  std::unordered_map<core::job_id, std::size_t> places;
  for (std::size_t at = 0; at < jobs.size(); ++at)
    places.emplace(jobs[at], at);
  own.query_in(RINGMASTER_RECORD_COLUMNS("$job_name") "$planned_next, $planned_last, s.missed_ms, s.revision FROM xxl_job_info i"
               " LEFT JOIN rm_schedule s ON s.job = i.id LEFT JOIN rm_job_ext x ON x.job = i.id"
               " LEFT JOIN rm_stop p ON p.job = i.id WHERE i.id IN ({?,})",
               jobs, [&](const sql_rows& row) { out.push_back(record_of(row, own.dates())); });
  std::sort(out.begin(), out.end(), [&places](const auto& a, const auto& b) { return places.at(a.id) < places.at(b.id); });
  return out;
}

/// Reads the jobs, as many as fit into one answer.
void fill(admin_session& own, core::job_list& list, std::vector<core::job_id> ids, bool more) {
  const auto wanted = ids.size();
  const auto fitting = within_budget(own, std::move(ids));
  list.more = more || fitting.size() < wanted;
  list.jobs.rows = records_of(own, fitting);
}

/// Returns those of the jobs that the user may see, newest first.
std::vector<core::job_id> jobs_named(admin_session& own, const std::vector<core::job_id>& ids, const core::principal& by) {
  std::vector<core::job_id> out;
  own.query_in("SELECT id, job_group FROM xxl_job_info WHERE id IN ({?,})", ids, [&](const sql_rows& row) {
    if (core::check_right(by, core::group_right::viewer, row.id<core::group_id>(1)))
      out.push_back(row.id<core::job_id>(0));
  });
  std::sort(out.begin(), out.end(), std::greater<>{});
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// Returns the groups to list; empty optional: all. Errors: `forbidden` for a group that `by` may not see.
core::result<std::optional<std::vector<core::group_id>>> groups_of(const core::job_search& search, const core::principal& by) {
  if (search.groups.empty())
    return core::groups_to_list(search.group, search.visible, by);
  for (const auto group : search.groups)
    if (auto may = core::groups_to_list(group, search.visible, by); !may)
      return may;
  return core::groups_to_list(std::nullopt, search.groups, by);
}

#define RINGMASTER_VERSIONS_OF_JOB " FROM xxl_job_logglue WHERE job_id = ? AND (? = 0 OR id = ?) ORDER BY id DESC LIMIT ?"

/// Returns the selected versions without their texts.
std::vector<core::source_version> versions_of(admin_session& own, const core::source_search& search) {
  std::vector<core::source_version> out;
  auto found = own.query("SELECT id, glue_type, glue_remark, add_time, update_time, COALESCE($bytes_of(glue_source), 0)"
                         RINGMASTER_VERSIONS_OF_JOB,
                         search.job, search.version.has_value(), search.version.value_or(0), core::source_versions_max);
  while (found.next())
    out.push_back({found.number(0), search.job, found.string(1), {}, found.string(2), own.dates().read(found.text(3)),
                   own.dates().read(found.text(4)), static_cast<std::size_t>(found.number(5))});
  return out;
}

/// Reads the texts of the versions, and leaves out the oldest ones whose texts do not fit into one answer.
void read_texts(admin_session& own, const core::source_search& search, std::vector<core::source_version>& versions) {
  core::page_budget budget;
  const auto end =
    std::find_if(versions.begin(), versions.end(), [&](const auto& version) { return !budget.takes(version.bytes); });
  versions.erase(end, versions.end());
  auto found = own.query("SELECT glue_source" RINGMASTER_VERSIONS_OF_JOB, search.job, search.version.has_value(),
                         search.version.value_or(0), versions.size());
  for (auto version = versions.begin(); version != versions.end() && found.next(); ++version)
    version->source = found.string(0);
}

#undef RINGMASTER_VERSIONS_OF_JOB

} // namespace

std::optional<core::job_record> find_record(admin_session& own, core::job_id job) {
  auto found = records_of(own, {job});
  return found.empty() ? std::nullopt : std::optional{std::move(found.front())};
}

core::result<core::job_record> job_editor_role::read(core::job_id job, const core::principal& by) {
  return own_.read([&]() -> core::result<core::job_record> {
    auto held = find_record(own_, job);
    if (auto may = core::check_read(held, job, by); !may)
      return tl::unexpected{may.error()};
    return std::move(*held);
  });
}

core::result<core::page<core::job_record>> job_editor_role::page(const core::job_search& search, const core::principal& by) {
  const auto groups = groups_of(search, by);
  if (!groups)
    return tl::unexpected{groups.error()};
  return own_.read([&] { return find_list(search, *groups, by); }).map([](core::job_list&& list) {
    return std::move(list.jobs);
  });
}

core::result<core::job_list> job_editor_role::list(const core::job_search& search, const core::principal& by) {
  const auto groups = groups_of(search, by);
  if (!groups)
    return tl::unexpected{groups.error()};
  auto out = own_.read([&] { return find_list(search, *groups, by); });
  if (!out)
    return out;
  auto facts = list_facts(out->jobs.rows, by);
  if (!facts)
    return tl::unexpected{std::move(facts.error())};
  out->facts = std::move(*facts);
  return out;
}

core::result<core::job_list> job_editor_role::soonest(const std::optional<core::group_id>& group, std::size_t limit,
                                                      const core::principal& by) {
  const auto groups = core::groups_to_list(group, std::nullopt, by);
  if (!groups)
    return tl::unexpected{groups.error()};
  return own_.read([&]() -> core::result<core::job_list> {
    core::job_list out;
    if (*groups && (*groups)->empty())
      return out;
    const auto found = find_soonest(own_, *groups, limit);
    if (!found)
      return tl::unexpected{found.error()};
    fill(own_, out, found->ids, found->more);
    return out;
  });
}

core::result<core::job_list> job_editor_role::find_list(const core::job_search& search,
                                                        const std::optional<std::vector<core::group_id>>& groups,
                                                        const core::principal& by) {
  core::job_list out;
  if (!search.ids.empty()) {
    const auto named = jobs_named(own_, search.ids, by);
    out.jobs.total = static_cast<std::int64_t>(named.size());
    const auto skipped = static_cast<std::ptrdiff_t>(std::min(search.window.offset, named.size()));
    fill(own_, out, {named.begin() + skipped, named.end()}, false);
    return out;
  }
  if (groups && groups->empty())
    return out;
  if (is_finer(search)) {
    auto found = find_ordered(own_, search, groups, by, totals_);
    if (!found)
      return tl::unexpected{std::move(found.error())};
    out.jobs.total = found->total;
    fill(own_, out, std::move(found->ids), found->more);
    return out;
  }
  const auto jobs = own_.paths_of(search, groups);
  auto found = find_jobs(*jobs, search, groups, totals_);
  out.jobs.total = found.total;
  const bool more = static_cast<std::int64_t>(search.window.offset + found.ids.size()) < found.total;
  fill(own_, out, std::move(found.ids), more);
  return out;
}

core::result<core::source_history> job_editor_role::source_history(const core::source_search& search,
                                                                   const core::principal& by) {
  return own_.snapshot([&]() -> core::result<core::source_history> {
    const auto held = find_record(own_, search.job);
    if (auto may = core::check_read(held, search.job, by); !may)
      return tl::unexpected{may.error()};
    core::source_history out{core::source_tag(*held), versions_of(own_, search)};
    if (search.version && out.versions.empty())
      return tl::unexpected{core::no_such_version(search.job, *search.version)};
    if (search.bodies)
      read_texts(own_, search, out.versions);
    return out;
  });
}

} // namespace ringmaster::storage
