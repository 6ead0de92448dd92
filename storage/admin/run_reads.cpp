// Pages of runs, single runs, the daily report, and ends of runs by users.

#include "storage/admin/run_reads.hpp"

#include <array>

#include "storage/admin/audit_row.hpp"
#include "storage/admin/logs.hpp"
#include "storage/rules/run_read_rules.hpp"

namespace ringmaster::storage {

std::optional<core::group_id> group_of(admin_session& own, std::optional<core::job_id> job) {
  if (!job)
    return std::nullopt;
  auto row = own.query("SELECT job_group FROM xxl_job_info WHERE id = ?", *job);
  return row.next() ? std::optional{row.id<core::group_id>(0)} : std::nullopt;
}

core::result<core::run_list> run_role::page(const core::run_search& asked, std::size_t count_max, const core::principal& by) {
  if (!asked.ids.empty())
    return page_of(asked.ids, by);
  const auto search = narrowed(asked);
  auto found = own_.read([&]() -> core::result<found_runs> {
    const auto terms = terms_of(search, group_of(own_, search.job), by, own_.dates());
    if (!terms)
      return tl::unexpected{terms.error()};
    return find_runs(own_.log_paths(), *terms, search, count_max, own_.dates(), totals_);
  });
  if (!found)
    return tl::unexpected{std::move(found.error())};
  auto rows = log_role{own_}.rows(found->ids);
  if (!rows)
    return tl::unexpected{std::move(rows.error())};
  return shown(std::move(*rows), *found);
}

core::result<core::run_list> run_role::page_of(std::span<const core::log_id> ids, const core::principal& by) {
  auto rows = log_role{own_}.rows(ids);
  if (!rows)
    return tl::unexpected{std::move(rows.error())};
  std::erase_if(*rows, [&](const core::log_row& row) { return !core::check_right(by, core::group_right::viewer, row.group); });
  found_runs found;
  found.total = static_cast<std::int64_t>(rows->size());
  return shown(std::move(*rows), found);
}

core::result<core::log_row> run_role::read(core::log_id run, core::group_right wanted, const core::principal& by) {
  const std::array<core::log_id, 1> ids{run};
  auto rows = log_role{own_}.rows(ids);
  return rows ? read_by(std::move(*rows), run, wanted, by) : tl::unexpected{std::move(rows.error())};
}

core::result<bool> run_role::end_run(core::log_id run, std::string_view message, const core::principal& by,
                                     core::time_point now) {
  return own_.edit([&]() -> core::result<bool> {
    auto row = own_.query("SELECT job_group, job_id, handle_code FROM xxl_job_log WHERE id = ?", run);
    if (!row.next())
      return tl::unexpected{no_such_run(run)};
    if (auto right = core::check_right(by, core::group_right::operate, row.id<core::group_id>(0)); !right)
      return tl::unexpected{right.error()};
    if (row.number(2) != 0)
      return false;
    write_audit(own_, audit_of_ending(run, row.id<core::job_id>(1), message, by, now));
    return true;
  });
}

#define RINGMASTER_REPORT(changed)                                                                                               \
  "SELECT trigger_day, running_count, suc_count, fail_count, " changed " FROM xxl_job_log_report"                                \
  " WHERE trigger_day >= ? AND trigger_day < ? ORDER BY trigger_day"

core::result<std::vector<core::day_report>> run_role::report(core::time_point from, core::time_point to) {
  return own_.read([&]() -> core::result<std::vector<core::day_report>> {
    std::vector<core::day_report> days;
    const auto text = own_.facts().report_update_time
                        ? sql_text{RINGMASTER_REPORT("update_time")}
                        : sql_text{RINGMASTER_REPORT("NULL")};
    auto row = own_.query(text, std::string{own_.dates().of(from)}, std::string{own_.dates().of(to)});
    while (row.next()) {
      const auto day = own_.dates().read(row.text(0));
      add_day(days, day, row.number(1), row.number(2), row.number(3), own_.dates().read(row.text(4)));
    }
    return days;
  });
}

#undef RINGMASTER_REPORT

} // namespace ringmaster::storage
