// The newest run of each job, and jobs by the status of that run.

#include "storage/admin/last_runs.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/editing/job_list.hpp"
#include "storage/admin/listed_groups.hpp"
#include "storage/edit_store.hpp"
#include "storage/rows/run_status_sql.hpp"

namespace ringmaster::storage {

namespace {

/// Number of jobs from which on the newest rows of the log are read before single jobs are looked at.
constexpr std::size_t many_jobs = 500;

// The statuses that a row of a list tells, n as bit n.
#define RINGMASTER_LAST_STATUS                                                                                                   \
  "(" RINGMASTER_STATUS_BIT(RINGMASTER_SUCCEEDED, "2") " + " RINGMASTER_STATUS_BIT(RINGMASTER_FAILED, "4") " + "                 \
  RINGMASTER_STATUS_BIT(RINGMASTER_RUNNING, "8") " + " RINGMASTER_STATUS_BIT(RINGMASTER_MISSED, "16") " + "                      \
  RINGMASTER_STATUS_BIT(RINGMASTER_PENDING, "32") ")"

constexpr sql_text statuses_of_runs{"SELECT id, job_id, job_group, " RINGMASTER_LAST_STATUS
                                    " FROM xxl_job_log $by_primary_key WHERE id IN ({?,})"};
// For each job of the newest rows: its newest run, its newest run that the user may see, and its newest run with a wanted status.
// An expression groups the rows, so that SQLite does not read the whole index on jobs.
constexpr sql_text newest_of_jobs{
  "SELECT job_id + 0, MAX(id), MAX(CASE WHEN ? = '' OR $listed(job_group) THEN id ELSE 0 END),"
  " MAX(CASE WHEN (" RINGMASTER_LAST_STATUS " & ?) <> 0 THEN id ELSE 0 END)"
  " FROM xxl_job_log $by_primary_key WHERE id > ? GROUP BY job_id + 0"};

#undef RINGMASTER_LAST_STATUS

constexpr sql_text count_failed{"SELECT COUNT(*) FROM (SELECT log_id FROM rm_failed_run ORDER BY log_id DESC LIMIT ?) newest"};
constexpr sql_text failed_jobs{"SELECT DISTINCT job FROM rm_failed_run"};
constexpr sql_text jobs_of_runs{"SELECT job_id FROM xxl_job_log $by_primary_key WHERE id IN ({?,})"};

using job_set = std::unordered_set<core::job_id>;

core::error too_many_last_runs() {
  return {core::errc::invalid_argument,
          "last_status: more than " + std::to_string(core::last_runs_max) +
            " of the jobs that match have no recent run; narrow them by group, running, type, glue_type, source or q"};
}

/// A search among jobs, which decides them in the order of cost.
class last_run_search {
public:
  last_run_search(admin_session& own, std::int32_t wanted, const core::principal& by) : own_{own}, wanted_{wanted}, by_{by} {}

  core::result<job_set> run(std::vector<core::job_id> jobs) {
    const auto span = own_.log_paths().span();
    if (core::number(span.last) == 0)
      return job_set{};
    if (jobs.size() > many_jobs)
      look_at_newest(jobs, span);
    if (jobs.size() > core::last_runs_max)
      narrow(jobs, span);
    if (jobs.size() > core::last_runs_max)
      return tl::unexpected{too_many_last_runs()};
    look_at(jobs);
    return std::move(found_);
  }

private:
  [[nodiscard]] bool wants_only(std::initializer_list<core::run_status> statuses) const {
    return (wanted_ & ~status_bits(statuses)) == 0;
  }

  /// Decides the jobs whose newest run is among the newest rows of the log, and removes them from `jobs`. A short log decides
  /// all: the others have no run.
  void look_at_newest(std::vector<core::job_id>& jobs, const core::log_span& span) {
    const auto groups = listed_groups(by_);
    const auto after = core::number(span.last) - run_reader::rows_looked_at;
    job_set decided;
    job_set hidden;
    auto rows = own_.query(newest_of_jobs, groups, groups, wanted_, after);
    while (rows.next()) {
      const auto job = rows.id<core::job_id>(0);
      const bool is_seen = rows.number(1) == rows.number(2);
      (is_seen ? decided : hidden).insert(job);
      if (is_seen && rows.number(1) == rows.number(3))
        found_.insert(job);
    }
    const bool has_all = after < core::number(span.first);
    std::erase_if(jobs, [&](core::job_id job) { return decided.contains(job) || (has_all && !hidden.contains(job)); });
  }

  /// Removes jobs that have no run with a wanted status at all, if an index tells all that have one.
  void narrow(std::vector<core::job_id>& jobs, const core::log_span& span) {
    using enum core::run_status;
    std::optional<job_set> candidates;
    if (wants_only({running, pending}) && own_.log_paths().has(run_path::open))
      candidates = jobs_with_open_runs(span);
    else if (wants_only({missed}) || (wants_only({failed, missed}) && !own_.may_have_java_runs()))
      candidates = jobs_with_failed_runs();
    if (candidates)
      std::erase_if(jobs, [&](core::job_id job) { return !candidates->contains(job); });
  }

  /// Returns nothing if there are too many runs without a result.
  std::optional<job_set> jobs_with_open_runs(const core::log_span& span) {
    run_terms terms;
    terms.one_of = wanted_;
    constexpr auto rows = run_reader::rows_fetched;
    const auto open = own_.log_paths().look_along(run_path::open, terms, {core::log_id{0}, span.last},
                                                  static_cast<std::size_t>(rows) + 1, rows);
    if (open.floor)
      return std::nullopt;
    job_set out;
    own_.query_in(jobs_of_runs, open.ids, [&out](const sql_rows& row) { out.insert(row.id<core::job_id>(0)); });
    return out;
  }

  /// Returns nothing if there are too many failed runs. Instants that were missed, and failures that this server recorded, are
  /// all in the table; failures that a Java admin recorded are not.
  std::optional<job_set> jobs_with_failed_runs() {
    auto counted = own_.query(count_failed, run_reader::rows_looked_at + 1);
    if (!counted.next() || counted.number(0) > run_reader::rows_looked_at)
      return std::nullopt;
    job_set out;
    for (auto rows = own_.query(failed_jobs); rows.next();)
      out.insert(rows.id<core::job_id>(0));
    return out;
  }

  /// Decides the jobs one by one. Most have a newest run that the user may see: only for the others more runs are read.
  void look_at(const std::vector<core::job_id>& jobs) {
    std::vector<core::job_id> hidden;
    decide(find_newest_runs(own_, jobs, 1), &hidden);
    if (!hidden.empty())
      decide(find_newest_runs(own_, hidden, core::open_runs_seen), nullptr);
  }

  /// Decides the jobs of these runs by the newest run that the user may see. `hidden` takes the jobs without such a run.
  void decide(const std::vector<core::log_id>& runs, std::vector<core::job_id>* hidden) {
    std::unordered_map<core::job_id, std::pair<core::log_id, bool>> last;
    own_.query_in(statuses_of_runs, runs, [&](const sql_rows& row) {
      const auto job = row.id<core::job_id>(1);
      if (!core::check_right(by_, core::group_right::viewer, row.id<core::group_id>(2))) {
        if (hidden != nullptr)
          hidden->push_back(job);
        return;
      }
      auto& [run, matches] = last[job];
      if (const auto id = row.id<core::log_id>(0); id > run) {
        run = id;
        matches = (row.number(3) & wanted_) != 0;
      }
    });
    for (const auto& [job, run] : last)
      if (run.second)
        found_.insert(job);
  }

  admin_session& own_;
  const std::int32_t wanted_;
  const core::principal& by_;
  job_set found_;
};

} // namespace

std::vector<core::log_id> find_newest_runs(admin_session& own, const std::vector<core::job_id>& jobs, std::size_t count) {
  auto& log = own.log_paths();
  const auto span = log.span();
  std::vector<core::log_id> out;
  if (core::number(span.last) == 0)
    return out;
  for (const auto job : jobs) {
    run_terms terms;
    terms.job = job;
    const auto found =
      log.look_along(run_path::job, terms, {core::log_id{0}, span.last}, count, static_cast<std::int64_t>(count));
    out.insert(out.end(), found.ids.begin(), found.ids.end());
  }
  return out;
}

core::result<std::vector<core::job_id>> jobs_with_last_run(admin_session& own, const std::vector<core::job_id>& jobs,
                                                           const std::vector<core::run_status>& statuses,
                                                           const core::principal& by) {
  if (!own.log_paths().has(run_path::job))
    return core::fail(core::errc::invalid_argument, "last_status: the log of this database has no index on job_id, so the last "
                                                    "run of a job is unknown; add an index to xxl_job_log");
  const auto found = last_run_search{own, status_bits(statuses), by}.run(jobs);
  if (!found)
    return tl::unexpected{found.error()};
  std::vector<core::job_id> out;
  std::copy_if(jobs.begin(), jobs.end(), std::back_inserter(out), [&](core::job_id job) { return found->contains(job); });
  return out;
}

} // namespace ringmaster::storage
