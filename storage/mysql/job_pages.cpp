// Jobs with all their columns, for people.

#include <algorithm>
#include <bit>

#include "storage/job_draft_rules.hpp"
#include "storage/job_record_row.hpp"
#include "storage/mysql/batches.hpp"
#include "storage/mysql/job_writes.hpp"

namespace ringmaster::storage::mysql {

namespace {

// Beside Java admins the schedule is XXL's table.
constexpr const char* all_columns = RINGMASTER_RECORD_COLUMNS(
  "$job_name") "IF((SELECT mode FROM rm_mode WHERE id = 1) = 'shared', IF(i.trigger_status = 1, i.trigger_next_time, 0),"
               " s.next_ms), IF((SELECT mode FROM rm_mode WHERE id = 1) = 'shared',"
               " GREATEST(COALESCE(s.last_ms, 0), i.trigger_last_time), s.last_ms), s.revision"
               " FROM xxl_job_info i LEFT JOIN rm_schedule s ON s.job = i.id LEFT JOIN rm_job_ext x ON x.job = i.id ";

// The server sees the values before it chooses its way: what is not asked for costs nothing.
#define RINGMASTER_JOB_FILTERS                                                                                                   \
  "(? = 0 OR (trigger_status = 1) = ?) AND (? = '' OR INSTR(LOWER($job_name), LOWER(?)) > 0)"                                    \
  " AND (? = '' OR INSTR(LOWER(executor_handler), LOWER(?)) > 0) AND (? = '' OR INSTR(LOWER(author), LOWER(?)) > 0)"

statement& add_filters(statement& to, const core::job_search& search) {
  to.add(search.running.has_value()).add(search.running.value_or(false));
  for (const auto* part : {&search.name_part, &search.handler_part, &search.author_part})
    to.add(*part).add(*part);
  return to;
}

using group_list = std::optional<std::vector<core::group_id>>;

/// Few lengths of lists, so that a connection keeps few statements; the last group fills it up.
statement& prepare_in(connection& db, sql text, const std::vector<core::group_id>& groups) {
  const auto rows = std::bit_ceil(groups.size());
  auto& out = db.prepare(text, rows);
  for (std::size_t i = 0; i < rows; ++i)
    out.add(groups[std::min(i, groups.size() - 1)]);
  return out;
}

std::int64_t count(connection& db, const core::job_search& search, const group_list& groups) {
  const bool filtered =
    search.running || !search.name_part.empty() || !search.handler_part.empty() || !search.author_part.empty();
  auto& some =
    groups ? prepare_in(db, "SELECT COUNT(*) FROM xxl_job_info WHERE job_group IN ({?,}) AND " RINGMASTER_JOB_FILTERS,
                        *groups)
    : filtered ? db.prepare("SELECT COUNT(*) FROM xxl_job_info WHERE " RINGMASTER_JOB_FILTERS)
               : db.prepare("SELECT COUNT(*) FROM xxl_job_info");
  auto found = groups || filtered ? add_filters(some, search).select() : some.select();
  return found.next() ? found.number(0) : 0;
}

// The lengths come first, since a statement's rows are in memory all at once; only those of the page, since the server fetches
// long texts to measure them.
#define RINGMASTER_PAGE_SIZES                                                                                                    \
  "SELECT i.id, COALESCE(LENGTH(i.glue_source), 0) + COALESCE(LENGTH(i.executor_param), 0) FROM (SELECT id FROM xxl_job_info"    \
  " WHERE "
#define RINGMASTER_PAGE_END                                                                                                      \
  " ORDER BY id DESC LIMIT ? OFFSET ?) page JOIN xxl_job_info i ON i.id = page.id ORDER BY i.id DESC"

/// Of the page, as many as one answer holds.
std::vector<core::job_id> ids_of(connection& db, const core::job_search& search, const group_list& groups) {
  auto& some =
    groups ? prepare_in(db,
                        RINGMASTER_PAGE_SIZES "job_group IN ({?,}) AND " RINGMASTER_JOB_FILTERS RINGMASTER_PAGE_END, *groups)
           : db.prepare(RINGMASTER_PAGE_SIZES RINGMASTER_JOB_FILTERS RINGMASTER_PAGE_END);
  std::vector<core::job_id> out;
  page_budget budget;
  auto found =
    add_filters(some, search).add(std::min(search.window.limit, core::page_rows_max)).add(search.window.offset).select();
  while (found.next() && budget.takes(static_cast<std::size_t>(found.number(1))))
    out.push_back(found.id<core::job_id>(0));
  return out;
}

#undef RINGMASTER_PAGE_END
#undef RINGMASTER_PAGE_SIZES
#undef RINGMASTER_JOB_FILTERS

std::vector<core::job_record> records_of(session& own, std::span<const core::job_id> jobs) {
  std::vector<core::job_record> out;
  for (const auto part : padded_chunks(jobs.size())) {
    auto& some = own.db.prepare({all_columns, "WHERE i.id IN ({?,})"}, part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(jobs[part.at(i)]);
    for (auto found = some.select(); found.next();)
      out.push_back(record_of<std::size_t>(found, own.dates));
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.id > b.id; });
  return out;
}

} // namespace

std::optional<core::job_record> find_record(session& own, core::job_id job) {
  auto found = records_of(own, {&job, 1});
  return found.empty() ? std::nullopt : std::optional{std::move(found.front())};
}

core::result<core::job_record> job_editor_role::read(core::job_id job, const core::principal& by) {
  return own_.db.read([&]() -> core::result<core::job_record> {
    auto held = find_record(own_, job);
    if (auto may = check_read(held, job, by); !may)
      return tl::unexpected{may.error()};
    return std::move(*held);
  });
}

core::result<core::page<core::job_record>> job_editor_role::page(const core::job_search& search, const core::principal& by) {
  const auto groups = groups_to_list(search.group, search.visible, by);
  if (!groups)
    return tl::unexpected{groups.error()};
  return own_.db.read([&]() -> core::result<core::page<core::job_record>> {
    core::page<core::job_record> out;
    if (*groups && (*groups)->empty())
      return out;
    out.total = count(own_.db, search, *groups);
    const auto jobs = ids_of(own_.db, search, *groups);
    out.rows = records_of(own_, jobs);
    return out;
  });
}

core::result<std::vector<core::source_version>> job_editor_role::source_history(core::job_id job, const core::principal& by) {
  return own_.db.read([&]() -> core::result<std::vector<core::source_version>> {
    if (auto may = check_read(find_record(own_, job), job, by); !may)
      return tl::unexpected{may.error()};
    page_budget budget;
    std::size_t rows = 0;
    auto sizes = own_.db.query("SELECT COALESCE(LENGTH(glue_source), 0) FROM xxl_job_logglue WHERE job_id = ? ORDER BY id DESC"
                               " LIMIT ?", job, core::source_versions_max);
    while (sizes.next() && budget.takes(static_cast<std::size_t>(sizes.number(0))))
      ++rows;
    std::vector<core::source_version> out;
    auto found = own_.db.query("SELECT id, glue_type, glue_source, glue_remark, add_time, update_time FROM xxl_job_logglue"
                               " WHERE job_id = ? ORDER BY id DESC LIMIT ?", job, rows);
    while (found.next())
      out.push_back({found.number(0), job, found.string(1), found.string(2), found.string(3), own_.dates.read(found.text(4)),
                     own_.dates.read(found.text(5))});
    return out;
  });
}

} // namespace ringmaster::storage::mysql
