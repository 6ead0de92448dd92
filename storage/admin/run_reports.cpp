// Counts of runs by hour or day, with their median duration, from the log itself.

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "storage/admin/run_reads.hpp"
#include "storage/rules/run_read_rules.hpp"

namespace ringmaster::storage {

namespace {

// A row for each hour, outcome and duration: 1 succeeded, 2 running, 0 failed.
#define RINGMASTER_HOURS                                                                                                         \
  "SELECT SUBSTR(trigger_time, 1, 13) AS at_hour, CASE WHEN handle_code = 200 THEN 1"                                            \
  " WHEN handle_code = 0 AND trigger_code IN (0, 200) THEN 2 ELSE 0 END AS outcome,"                                             \
  " CASE WHEN handle_code <> 0 THEN $seconds_taken END AS seconds, COUNT(*) FROM xxl_job_log "
#define RINGMASTER_BY_HOUR                                                                                                       \
  " AND id > ? AND id <= ? AND (? = 0 OR job_group + 0 = ?) AND trigger_time IS NOT NULL"                                        \
  " GROUP BY at_hour, outcome, seconds"

constexpr sql_text hours_of_all{RINGMASTER_HOURS "$by_primary_key WHERE (? = 0 OR job_id + 0 = ?)" RINGMASTER_BY_HOUR};
constexpr sql_text hours_of_job{RINGMASTER_HOURS "WHERE job_id = ?" RINGMASTER_BY_HOUR};

#undef RINGMASTER_BY_HOUR
#undef RINGMASTER_HOURS

core::error too_many_runs(std::int64_t limit) {
  return {core::errc::invalid_argument, "the range has more than " + std::to_string(limit) +
                                          " runs, too many to be counted one by one: choose a shorter range, or one job"};
}

/// Runs of one hour or day.
struct report_bucket {
  core::run_counts counts;
  /// Number of runs by their duration in seconds.
  std::map<std::int64_t, std::int64_t> durations;

  [[nodiscard]] std::optional<core::milliseconds> median() const {
    std::int64_t all = 0;
    for (const auto& [seconds, runs] : durations)
      all += runs;
    std::int64_t seen = 0;
    for (const auto& [seconds, runs] : durations)
      if ((seen += runs) * 2 >= all)
        return core::milliseconds{seconds * 1000};
    return std::nullopt;
  }
};

/// The counting for one report.
class report_counting {
public:
  report_counting(admin_session& own, const core::report_search& search, std::optional<core::group_id> group)
    : own_{own}, search_{search}, group_{group} {}

  core::result<std::vector<core::day_report>> run() {
    add_empty();
    const auto range = bounds_of(own_.log_paths(), search_.from, search_.to, own_.dates());
    if (auto counted = search_.job && own_.log_paths().has(run_path::job) ? count_job(range) : count_all(range); !counted)
      return tl::unexpected{counted.error()};
    std::vector<core::day_report> out;
    for (const auto& [begin, bucket] : buckets_)
      out.push_back({begin, bucket.counts, bucket.median()});
    return out;
  }

private:
  /// Returns the begin of the hour or day of a time in the form of the column.
  [[nodiscard]] std::optional<core::time_point> begin_of(const std::string& time) {
    constexpr std::size_t date_chars = 10, hour_chars = 13;
    return own_.dates().read(search_.by_hour ? time.substr(0, hour_chars) + ":00:00" : time.substr(0, date_chars) + " 00:00:00");
  }

  /// Hours and days without runs count, too.
  void add_empty() {
    // No day has more hours than this, and none has twice as many.
    const auto step = std::chrono::hours{search_.by_hour ? 1 : 25};
    for (auto at = search_.from; at < search_.to;) {
      const auto begin = begin_of(own_.dates().of(at));
      if (begin && *begin >= search_.from)
        buckets_[*begin];
      at = begin && *begin + step > at ? *begin + step : at + step;
    }
  }

  core::result<void> count_job(const core::log_range& range) {
    run_terms terms;
    terms.job = search_.job;
    // Reads keys of the index only.
    constexpr auto most = run_reader::rows_searched;
    const auto seen = own_.log_paths().look_along(run_path::job, terms, range, static_cast<std::size_t>(most + 1), most + 1);
    if (static_cast<std::int64_t>(seen.ids.size()) > most)
      return tl::unexpected{too_many_runs(most)};
    add(own_.query(hours_of_job, *search_.job, range.after, range.through, group_.has_value(),
                   group_.value_or(core::group_id{})));
    return {};
  }

  core::result<void> count_all(const core::log_range& range) {
    if (core::number(range.through) - core::number(range.after) > run_reader::rows_counted)
      return tl::unexpected{too_many_runs(run_reader::rows_counted)};
    add(own_.query(hours_of_all, search_.job.has_value(), search_.job.value_or(core::job_id{}), range.after, range.through,
                   group_.has_value(), group_.value_or(core::group_id{})));
    return {};
  }

  void add(sql_rows&& row) {
    while (row.next()) {
      const auto begin = begin_of(row.string(0));
      if (!begin || *begin < search_.from || *begin >= search_.to)
        continue;
      auto& bucket = buckets_[*begin];
      const auto runs = row.number(3);
      bucket.counts += {runs, row.number(1) == 2 ? runs : 0, row.number(1) == 1 ? runs : 0};
      if (!row.is_null(2))
        bucket.durations[std::max<std::int64_t>(row.number(2), 0)] += runs;
    }
  }

  admin_session& own_;
  const core::report_search& search_;
  const std::optional<core::group_id> group_;
  std::map<core::time_point, report_bucket> buckets_;
};

} // namespace

core::result<std::vector<core::day_report>> run_role::count(const core::report_search& search, const core::principal& by) {
  return own_.read([&]() -> core::result<std::vector<core::day_report>> {
    const auto group_of_job = group_of(own_, search.job);
    if (auto right = check_groups(search.group, group_of_job, by); !right)
      return tl::unexpected{right.error()};
    if (search.job && !group_of_job)
      if (auto right = core::check_admin(by); !right)
        return tl::unexpected{right.error()};
    // Runs of a job that has moved stay in its earlier group, which the user may not see.
    return report_counting{own_, search, by.admin || search.group ? search.group : group_of_job}.run();
  });
}

} // namespace ringmaster::storage
