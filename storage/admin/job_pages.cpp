// Pages of jobs with all their columns, for users.

#include <algorithm>
#include <unordered_map>

#include "core/editing/edit_tag.hpp"
#include "core/rules/job_draft_rules.hpp"
#include "core/rules/job_edit_rules.hpp"
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

std::vector<core::job_record> records_of(admin_session& own, const std::vector<core::job_id>& jobs) {
  std::vector<core::job_record> out;
  own.query_in(RINGMASTER_RECORD_COLUMNS("$job_name") "$planned_times, s.missed_ms, s.revision FROM xxl_job_info i"
               " LEFT JOIN rm_schedule s ON s.job = i.id LEFT JOIN rm_job_ext x ON x.job = i.id"
               " LEFT JOIN rm_stop p ON p.job = i.id WHERE i.id IN ({?,})",
               jobs, [&](const sql_rows& row) { out.push_back(record_of(row, own.dates())); });
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.id > b.id; });
  return out;
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
  const auto groups = core::groups_to_list(search.group, search.visible, by);
  if (!groups)
    return tl::unexpected{groups.error()};
  return own_.read([&]() -> core::result<core::page<core::job_record>> {
    core::page<core::job_record> out;
    if (*groups && (*groups)->empty())
      return out;
    const auto jobs = own_.paths_of(search, *groups);
    auto found = find_jobs(*jobs, search, *groups, totals_);
    out.total = found.total;
    out.rows = records_of(own_, within_budget(own_, std::move(found.ids)));
    return out;
  });
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
