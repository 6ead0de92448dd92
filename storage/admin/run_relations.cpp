// Names of jobs and groups of runs, and the runs around one run.

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <string>
#include <utility>

#include "core/job/job.hpp"
#include "core/run/execution_state.hpp"
#include "core/run/run_reason.hpp"
#include "core/run/shard_family.hpp"
#include "storage/admin/logs.hpp"
#include "storage/admin/run_reads.hpp"
#include "storage/rules/run_read_rules.hpp"

namespace ringmaster::storage {

namespace {

using core::related_runs;

/// Maximum number of attempts that are followed in each direction.
constexpr int attempts_max = 50;
/// Maximum number of runs of one child job, and of shards.
constexpr std::size_t runs_of_one_job = 100;
/// Children and retries are claimed at once. After this time they are not found: the cluster was down in between.
constexpr std::chrono::minutes claimed_within{10};

/// Returns each id once, ascending.
template <class Id>
std::vector<Id> distinct_ids(const std::vector<core::log_row>& rows, Id core::log_row::*id) {
  std::vector<Id> out;
  for (const auto& row : rows)
    out.push_back(row.*id);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

void sort_by_id(std::vector<core::log_row>& rows) {
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
}

/// Returns the users who asked for manual runs of `rows`; rows of earlier releases and of Java admins have none.
std::map<core::log_id, std::string> requesters_of(admin_session& own, const std::vector<core::log_row>& rows) {
  std::map<core::log_id, std::string> out;
  std::vector<core::log_id> manual;
  for (const auto& row : rows)
    if (const auto kind = core::origin_of(row).kind; kind == core::trigger_kind::manual || kind == core::trigger_kind::api)
      manual.push_back(row.id);
  if (own.facts().own_tables)
    own.query_in("SELECT log_id, user_name FROM rm_asked_run WHERE log_id IN ({?,}) AND user_name IS NOT NULL", manual,
                 [&](const sql_rows& row) { out.emplace(row.id<core::log_id>(0), row.string(1)); });
  return out;
}

/// Reads the runs around one run. Runs that `by` may not see are left out.
class relations {
public:
  relations(run_role& runs, admin_session& own, const core::principal& by) : runs_{runs}, own_{own}, by_{by} {}

  core::result<related_runs> of(core::log_row&& run) {
    out_.run = std::move(run);
    for (auto step : {&relations::earlier_attempts, &relations::later_attempts, &relations::children, &relations::shards,
                      &relations::requester})
      if (auto done = (this->*step)(); !done)
        return tl::unexpected{done.error()};
    return std::move(out_);
  }

private:
  /// Returns a run that the user may see; unset for any other.
  core::result<std::optional<core::log_row>> find(core::log_id run) {
    const std::array<core::log_id, 1> ids{run};
    auto rows = log_role{own_}.rows(ids);
    if (!rows)
      return tl::unexpected{rows.error()};
    if (rows->empty() || !core::check_right(by_, core::group_right::viewer, rows->front().group))
      return std::optional<core::log_row>{};
    return std::optional{shown(std::move(rows->front()))};
  }

  /// Follows the chain to the first attempt, and from there to the parent.
  core::result<void> earlier_attempts() {
    auto at = core::origin_of(out_.run);
    std::int32_t before = 0;
    for (; at.retry_of && before < attempts_max; ++before) {
      auto found = find(*at.retry_of);
      if (!found)
        return tl::unexpected{found.error()};
      if (!*found)
        return {};
      at = core::origin_of(**found);
      out_.retries.push_back(std::move(**found));
    }
    if (at.attempt)
      out_.attempt = before + 1;
    if (!at.parent)
      return {};
    return find(*at.parent).map([this](std::optional<core::log_row>&& parent) { out_.parent = std::move(parent); });
  }

  core::result<void> later_attempts() {
    auto last = out_.run;
    sort_by_id(out_.retries);
    for (int count = 0; count < attempts_max && core::reason_of(last); ++count) {
      auto found = followers(last, last.job, core::trigger_kind::retry);
      if (!found)
        return tl::unexpected{found.error()};
      if (found->empty())
        break;
      last = found->front();
      out_.retries.push_back(last);
    }
    return {};
  }

  core::result<void> children() {
    if (out_.run.handle_code != core::success_code)
      return {};
    auto jobs = child_jobs();
    if (!jobs)
      return tl::unexpected{jobs.error()};
    for (const auto job : *jobs) {
      auto found = followers(out_.run, job, core::trigger_kind::parent);
      if (!found)
        return tl::unexpected{found.error()};
      out_.children.insert(out_.children.end(), found->begin(), found->end());
    }
    sort_by_id(out_.children);
    return {};
  }

  /// Returns the present children of the run's job that the user may see.
  core::result<std::vector<core::job_id>> child_jobs() {
    return own_.read([&]() -> core::result<std::vector<core::job_id>> {
      core::job parent;
      parent.id = out_.run.job;
      if (auto row = own_.query("SELECT child_jobid FROM xxl_job_info WHERE id = ?", parent.id); row.next())
        parent.child_jobs = row.string(0);
      std::vector<core::job_id> seen;
      own_.query_in("SELECT id, job_group FROM xxl_job_info WHERE id IN ({?,})", core::child_ids(parent),
                    [&](const sql_rows& row) {
                      if (core::check_right(by_, core::group_right::viewer, row.id<core::group_id>(1)))
                        seen.push_back(row.id<core::job_id>(0));
                    });
      std::sort(seen.begin(), seen.end());
      seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
      return seen;
    });
  }

  /// Returns runs of the job that repeat or follow `origin`, ascending.
  core::result<std::vector<core::log_row>> followers(const core::log_row& origin, core::job_id job, core::trigger_kind kind) {
    const auto ended = origin.handle_time.value_or(origin.trigger_time);
    core::run_search search;
    search.job = job;
    search.origin = origin.id;
    search.after = origin.id;
    search.to = ended + claimed_within;
    search.window.limit = runs_of_one_job;
    auto found = visible_page(search, runs_of_one_job);
    if (!found)
      return found;
    // The pattern of the search also fits a node whose name looks like an origin.
    std::erase_if(*found, [&](const core::log_row& row) {
      const auto from = core::origin_of(row);
      return from.kind != kind || (from.retry_of ? from.retry_of : from.parent) != origin.id;
    });
    std::reverse(found->begin(), found->end());
    return found;
  }

  /// Returns a page; empty if the job is now in a group that the user may not see.
  core::result<std::vector<core::log_row>> visible_page(const core::run_search& search, std::size_t count_max) {
    auto found = runs_.page(search, count_max, by_);
    if (found)
      return std::move(found->rows);
    if (found.error().code == core::errc::forbidden)
      return std::vector<core::log_row>{};
    return tl::unexpected{std::move(found.error())};
  }

  core::result<void> shards() {
    if (!core::origin_of(out_.run).part)
      return {};
    core::run_search search;
    search.job = out_.run.job;
    search.from = out_.run.trigger_time;
    search.to = out_.run.trigger_time;
    search.window.limit = core::page_rows_max;
    return visible_page(search, core::page_rows_max).map([this](const std::vector<core::log_row>& found) {
      out_.shards = core::shard_family(out_.run, found);
    });
  }

  core::result<void> requester() {
    const auto& first = out_.retries.empty() || out_.run.id < out_.retries.front().id ? out_.run : out_.retries.front();
    return own_.read([&]() -> core::result<void> {
      if (const auto found = requesters_of(own_, {first}); !found.empty())
        out_.by = found.begin()->second;
      return {};
    });
  }

  run_role& runs_;
  admin_session& own_;
  const core::principal& by_;
  related_runs out_;
};

} // namespace

core::result<core::run_names> run_role::names(const std::vector<core::log_row>& rows, const core::principal& by) {
  return own_.read([&]() -> core::result<core::run_names> {
    core::run_names out;
    own_.query_in("SELECT id, job_group, $job_name FROM xxl_job_info WHERE id IN ({?,})", distinct_ids(rows, &core::log_row::job),
                  [&](const sql_rows& row) {
                    // A job that has moved to a group of others keeps its name to itself.
                    if (core::check_right(by, core::group_right::viewer, row.id<core::group_id>(1)))
                      out.jobs.emplace(row.id<core::job_id>(0), row.string(2));
                  });
    own_.query_in("SELECT id, $group_title FROM xxl_job_group WHERE id IN ({?,})", distinct_ids(rows, &core::log_row::group),
                  [&](const sql_rows& row) { out.groups.emplace(row.id<core::group_id>(0), row.string(1)); });
    out.requesters = requesters_of(own_, rows);
    return out;
  });
}

core::result<core::related_runs> run_role::related(core::log_id run, const core::principal& by) {
  auto row = read(run, core::group_right::viewer, by);
  return row ? relations{*this, own_, by}.of(std::move(*row)) : tl::unexpected{std::move(row.error())};
}

} // namespace ringmaster::storage
