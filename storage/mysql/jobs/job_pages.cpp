// Pages of jobs with all their columns, for users.

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>

#include "core/rules/job_draft_rules.hpp"
#include "storage/mysql/driver/batches.hpp"
#include "storage/mysql/jobs/job_writes.hpp"
#include "storage/rows/job_paging.hpp"
#include "storage/rows/job_record_row.hpp"

namespace ringmaster::storage::mysql {

namespace {

// In shared mode the schedule is XXL's table.
constexpr const char* all_columns = RINGMASTER_RECORD_COLUMNS(
  "$job_name") "IF((SELECT mode FROM rm_mode WHERE id = 1) = 'shared', IF(i.trigger_status = 1, i.trigger_next_time, 0),"
               " s.next_ms), IF((SELECT mode FROM rm_mode WHERE id = 1) = 'shared',"
               " GREATEST(COALESCE(s.last_ms, 0), i.trigger_last_time), IF(s.last_ms = s.missed_ms, s.sent_ms, s.last_ms)),"
               " s.missed_ms, s.revision"
               " FROM xxl_job_info i LEFT JOIN rm_schedule s ON s.job = i.id LEFT JOIN rm_job_ext x ON x.job = i.id"
               " LEFT JOIN rm_stop p ON p.job = i.id ";

// The server knows the values before it chooses a plan, so unused filters cost nothing.
#define RINGMASTER_JOB_FILTERS                                                                                                   \
  "(? = 0 OR (trigger_status = 1) = ?) AND (? = '' OR INSTR(LOWER($job_name), LOWER(?)) > 0)"                                    \
  " AND (? = '' OR INSTR(LOWER(executor_handler), LOWER(?)) > 0) AND (? = '' OR INSTR(LOWER(author), LOWER(?)) > 0)"
#define RINGMASTER_OF_GROUPS " WHERE job_group IN ({?,})"

/// Statements for every kind of search: of all jobs or of some groups, with filters or without.
struct job_statements {
  sql of_all, of_groups, filtered, filtered_of_groups;
};
#define RINGMASTER_JOB_STATEMENTS(plain, looking, end)                                                                           \
  job_statements {                                                                                                               \
    plain end, plain RINGMASTER_OF_GROUPS end, looking " WHERE " RINGMASTER_JOB_FILTERS end,                                     \
      looking RINGMASTER_OF_GROUPS " AND " RINGMASTER_JOB_FILTERS end                                                            \
  }
// Along a group's index each filtered row would be fetched separately, which takes four times as long.
constexpr job_statements count_jobs = RINGMASTER_JOB_STATEMENTS(
  "SELECT COUNT(*) FROM xxl_job_info", "SELECT COUNT(*) FROM xxl_job_info FORCE INDEX (PRIMARY)", "");
constexpr job_statements list_some = RINGMASTER_JOB_STATEMENTS(
  "SELECT id FROM xxl_job_info", "SELECT id FROM xxl_job_info FORCE INDEX (PRIMARY)", " LIMIT ?");
constexpr job_statements list_newest = RINGMASTER_JOB_STATEMENTS(
  "SELECT id FROM xxl_job_info", "SELECT id FROM xxl_job_info FORCE INDEX (PRIMARY)", " ORDER BY id DESC LIMIT ? OFFSET ?");
constexpr job_statements list_oldest = RINGMASTER_JOB_STATEMENTS(
  "SELECT id FROM xxl_job_info", "SELECT id FROM xxl_job_info FORCE INDEX (PRIMARY)", " ORDER BY id LIMIT ? OFFSET ?");
#undef RINGMASTER_JOB_STATEMENTS
#undef RINGMASTER_OF_GROUPS
#undef RINGMASTER_JOB_FILTERS

using group_list = std::optional<std::vector<core::group_id>>;

/// Prepares a statement for a list of groups. Lists have few lengths, so that a connection keeps few statements; the last group
/// is repeated to fill them.
statement& prepare_in(connection& db, sql text, const std::vector<core::group_id>& groups) {
  const auto rows = std::bit_ceil(groups.size());
  auto& out = db.prepare(text, rows);
  for (std::size_t i = 0; i < rows; ++i)
    out.add(groups[std::min(i, groups.size() - 1)]);
  return out;
}

class searched_jobs final : public job_paths {
public:
  searched_jobs(connection& db, const core::job_search& search, const group_list& groups)
    : db_{db}, search_{search}, groups_{groups} {}

  [[nodiscard]] std::optional<std::int64_t> last_edit() override {
    auto row = db_.query("SELECT counter FROM rm_edit WHERE id = 1 AND (SELECT mode FROM rm_mode WHERE id = 1) = 'native'");
    return row.next() ? std::optional{row.number(0)} : std::nullopt;
  }

  [[nodiscard]] std::int64_t count() override {
    auto found = prepare(count_jobs).select();
    return found.next() ? found.number(0) : 0;
  }

  [[nodiscard]] std::vector<core::job_id> some(std::size_t limit) override { return ids_of(prepare(list_some).add(limit)); }

  [[nodiscard]] std::vector<core::job_id> newest(const core::page_window& window) override {
    return ids_of(prepare(list_newest).add(window.limit).add(window.offset));
  }

  [[nodiscard]] std::vector<core::job_id> oldest(const core::page_window& window) override {
    return ids_of(prepare(list_oldest).add(window.limit).add(window.offset));
  }

private:
  statement& prepare(const job_statements& texts) {
    const bool filtered = is_filtered(search_);
    auto& out = groups_    ? prepare_in(db_, filtered ? texts.filtered_of_groups : texts.of_groups, *groups_)
                : filtered ? db_.prepare(texts.filtered)
                           : db_.prepare(texts.of_all);
    if (!filtered)
      return out;
    out.add(search_.running.has_value()).add(search_.running.value_or(false));
    for (const auto* part : {&search_.name_part, &search_.handler_part, &search_.author_part})
      out.add(*part).add(*part);
    return out;
  }

  static std::vector<core::job_id> ids_of(statement& some) {
    std::vector<core::job_id> out;
    for (auto found = some.select(); found.next();)
      out.push_back(found.id<core::job_id>(0));
    return out;
  }

  connection& db_;
  const core::job_search& search_;
  const group_list& groups_;
};

/// Returns as many jobs from the front as fit into one answer. Reads the lengths before the texts, because a statement's rows are
/// in memory all at once.
std::vector<core::job_id> within_budget(connection& db, std::vector<core::job_id> jobs) {
  std::unordered_map<core::job_id, std::size_t> sizes;
  for (const auto part : padded_chunks(jobs.size())) {
    auto& some = db.prepare("SELECT id, COALESCE(LENGTH(glue_source), 0) + COALESCE(LENGTH(executor_param), 0)"
                            " FROM xxl_job_info WHERE id IN ({?,})", part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(jobs[part.at(i)]);
    for (auto found = some.select(); found.next();)
      sizes.emplace(found.id<core::job_id>(0), static_cast<std::size_t>(found.number(1)));
  }
  core::page_budget budget;
  const auto end = std::find_if(jobs.begin(), jobs.end(), [&](core::job_id job) { return !budget.takes(sizes[job]); });
  jobs.erase(end, jobs.end());
  return jobs;
}

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
    if (auto may = core::check_read(held, job, by); !may)
      return tl::unexpected{may.error()};
    return std::move(*held);
  });
}

core::result<core::page<core::job_record>> job_editor_role::page(const core::job_search& search, const core::principal& by) {
  const auto groups = core::groups_to_list(search.group, search.visible, by);
  if (!groups)
    return tl::unexpected{groups.error()};
  return own_.db.read([&]() -> core::result<core::page<core::job_record>> {
    core::page<core::job_record> out;
    if (*groups && (*groups)->empty())
      return out;
    searched_jobs jobs{own_.db, search, *groups};
    auto found = find_jobs(jobs, search, *groups, totals_);
    out.total = found.total;
    out.rows = records_of(own_, within_budget(own_.db, std::move(found.ids)));
    return out;
  });
}

core::result<std::vector<core::source_version>> job_editor_role::source_history(core::job_id job, const core::principal& by) {
  return own_.db.read([&]() -> core::result<std::vector<core::source_version>> {
    if (auto may = core::check_read(find_record(own_, job), job, by); !may)
      return tl::unexpected{may.error()};
    core::page_budget budget;
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
