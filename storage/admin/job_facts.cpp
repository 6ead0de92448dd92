// Facts about the jobs of a page: the newest run, open runs, the title of the group and the last editor.

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "storage/admin/job_writes.hpp"
#include "storage/admin/last_runs.hpp"
#include "storage/admin/logs.hpp"
#include "storage/rules/run_read_rules.hpp"

namespace ringmaster::storage {

namespace {

std::unordered_map<core::group_id, std::string> titles_of(admin_session& own, const std::vector<core::job_record>& rows) {
  std::vector<core::group_id> groups;
  for (const auto& row : rows)
    groups.push_back(row.group);
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  std::unordered_map<core::group_id, std::string> out;
  own.query_in("SELECT id, $group_title FROM xxl_job_group WHERE id IN ({?,})", groups,
               [&out](const sql_rows& row) { out.emplace(row.id<core::group_id>(0), row.string(1)); });
  return out;
}

/// Finds the last editors. Manual runs are no edits. After a removal the id may belong to a later job that has no row here yet.
std::unordered_map<core::job_id, std::string> editors_of(admin_session& own, const std::vector<core::job_id>& jobs) {
  std::unordered_map<core::job_id, std::string> out;
  own.query_in("SELECT a.object_id, a.user_name FROM rm_audit a JOIN (SELECT MAX(id) AS id FROM rm_audit WHERE object = 'job'"
               " AND object_id IN ({?,}) AND action IN ('add', 'update', 'start', 'stop', 'source', 'apply', 'remove')"
               " GROUP BY object_id) edits ON edits.id = a.id WHERE a.action <> 'remove'",
               jobs, [&out](const sql_rows& row) { out.emplace(row.id<core::job_id>(0), row.string(1)); });
  return out;
}

/// Runs of one job that a user may see.
struct seen_runs {
  core::log_id last{};
  std::size_t open = 0;
};

/// Reads which of the runs `by` may see: those of a job that has moved stay in its earlier group.
std::unordered_map<core::job_id, seen_runs> read_seen(admin_session& own, const std::vector<core::log_id>& runs,
                                                      const core::principal& by) {
  std::unordered_map<core::job_id, seen_runs> out;
  own.query_in("SELECT id, job_id, job_group, CASE WHEN trigger_code IN (0, 200) AND handle_code = 0 THEN 1 ELSE 0 END"
               " FROM xxl_job_log $by_primary_key WHERE id IN ({?,})",
               runs, [&](const sql_rows& row) {
                 if (!core::check_right(by, core::group_right::viewer, row.id<core::group_id>(2)))
                   return;
                 auto& of = out[row.id<core::job_id>(1)];
                 of.last = std::max(of.last, row.id<core::log_id>(0));
                 of.open += row.number(3) != 0 ? 1 : 0;
               });
  return out;
}

template <class Key, class Value>
Value value_at(const std::unordered_map<Key, Value>& values, Key key) {
  const auto found = values.find(key);
  return found == values.end() ? Value{} : found->second;
}

} // namespace

core::result<std::vector<core::job_facts>> job_editor_role::list_facts(const std::vector<core::job_record>& rows,
                                                                       const core::principal& by) {
  std::vector<core::job_facts> out(rows.size());
  std::vector<core::job_id> jobs;
  for (const auto& row : rows)
    jobs.push_back(row.id);
  std::vector<core::log_id> last;
  auto read = own_.read([&]() -> core::result<void> {
    const auto titles = titles_of(own_, rows);
    const auto editors = editors_of(own_, jobs);
    const bool has_index = own_.log_paths().has(run_path::job);
    const auto newest = has_index ? find_newest_runs(own_, jobs, core::open_runs_seen) : std::vector<core::log_id>{};
    const auto seen = read_seen(own_, newest, by);
    for (const auto& [job, runs] : seen)
      last.push_back(runs.last);
    for (std::size_t at = 0; at < rows.size(); ++at) {
      out[at].group_title = value_at(titles, rows[at].group);
      out[at].updated_by = value_at(editors, rows[at].id);
      out[at].open_runs = has_index ? std::optional{value_at(seen, rows[at].id).open} : std::nullopt;
    }
    return {};
  });
  if (!read)
    return tl::unexpected{std::move(read.error())};
  auto runs = log_role{own_}.rows(last);
  if (!runs)
    return tl::unexpected{std::move(runs.error())};
  for (auto& run : *runs) {
    const auto at = std::find(jobs.begin(), jobs.end(), run.job) - jobs.begin();
    if (static_cast<std::size_t>(at) < jobs.size())
      out[static_cast<std::size_t>(at)].last_run = shown(std::move(run));
  }
  return out;
}

} // namespace ringmaster::storage
