// Pages of jobs with all their columns, for users.

#include <algorithm>

#include "core/rules/job_draft_rules.hpp"
#include "core/rules/job_edit_rules.hpp"
#include "storage/rows/job_paging.hpp"
#include "storage/rows/job_record_row.hpp"
#include "storage/sqlite/jobs/job_writes.hpp"

namespace ringmaster::storage::sqlite {

namespace {

constexpr char read_record[] = RINGMASTER_RECORD_COLUMNS(
  "job_desc") "s.next_ms, CASE WHEN s.last_ms = s.missed_ms THEN s.sent_ms ELSE s.last_ms END, "
              "s.missed_ms, s.revision FROM xxl_job_info i LEFT JOIN rm_schedule s ON s.job = i.id "
              "LEFT JOIN rm_job_ext x ON x.job = i.id LEFT JOIN rm_stop p ON p.job = i.id WHERE i.id = ?1";

/// Statements for every kind of search: of all jobs or of some groups, with filters or without.
struct job_statements {
  const char *of_all, *of_groups, *filtered, *filtered_of_groups;
};
// ?1: groups; ?2 and ?3: the window; ?4 to ?7: the filters.
#define RINGMASTER_OF_GROUPS " WHERE job_group IN (SELECT value FROM json_each(?1))"
#define RINGMASTER_JOB_FILTERS                                                                                                   \
  "(?4 IS NULL OR (trigger_status = 1) = ?4) AND (?5 = '' OR instr(lower(job_desc), lower(?5)) > 0) "                            \
  "AND (?6 = '' OR instr(lower(executor_handler), lower(?6)) > 0) AND (?7 = '' OR instr(lower(author), lower(?7)) > 0)"
#define RINGMASTER_JOB_STATEMENTS(what, end)                                                                                     \
  job_statements {                                                                                                               \
    "SELECT " what " FROM xxl_job_info" end, "SELECT " what " FROM xxl_job_info" RINGMASTER_OF_GROUPS end,                       \
      "SELECT " what " FROM xxl_job_info WHERE " RINGMASTER_JOB_FILTERS end,                                                     \
      "SELECT " what " FROM xxl_job_info" RINGMASTER_OF_GROUPS " AND " RINGMASTER_JOB_FILTERS end                                \
  }
constexpr job_statements count_jobs = RINGMASTER_JOB_STATEMENTS("count(*)", "");
constexpr job_statements list_some = RINGMASTER_JOB_STATEMENTS("id", " LIMIT ?2");
constexpr job_statements list_newest = RINGMASTER_JOB_STATEMENTS("id", " ORDER BY id DESC LIMIT ?2 OFFSET ?3");
constexpr job_statements list_oldest = RINGMASTER_JOB_STATEMENTS("id", " ORDER BY id LIMIT ?2 OFFSET ?3");
#undef RINGMASTER_JOB_STATEMENTS
#undef RINGMASTER_JOB_FILTERS
#undef RINGMASTER_OF_GROUPS

constexpr char list_versions[] = "SELECT id, glue_type, glue_source, glue_remark, add_time, update_time FROM xxl_job_logglue "
                                 "WHERE job_id = ?1 ORDER BY id DESC LIMIT ?2";

/// Returns `[1,2]`, as one value.
std::string json_list(const std::vector<core::group_id>& groups) {
  std::string out = "[";
  for (const auto group : groups)
    out += (out.size() > 1 ? "," : "") + std::to_string(core::number(group));
  return out + ']';
}

class searched_jobs final : public job_paths {
public:
  searched_jobs(connection& db, const core::job_search& search, const std::optional<std::vector<core::group_id>>& groups)
    : db_{db},
      search_{search},
      of_groups_{groups.has_value()},
      groups_{json_list(groups.value_or(std::vector<core::group_id>{}))} {}

  [[nodiscard]] std::optional<std::int64_t> last_edit() override {
    auto reading = db_.prepare("SELECT counter FROM rm_edit WHERE id = 1");
    return reading.with().step() ? std::optional{reading.number(0)} : std::nullopt;
  }

  [[nodiscard]] std::int64_t count() override {
    auto counting = db_.prepare(text_of(count_jobs));
    if (is_filtered(search_))
      bind_all(counting, {});
    else if (of_groups_)
      counting.with(groups_);
    else
      counting.with();
    return counting.step() ? counting.number(0) : 0;
  }

  [[nodiscard]] std::vector<core::job_id> some(std::size_t limit) override { return list(list_some, {0, limit}); }
  [[nodiscard]] std::vector<core::job_id> newest(const core::page_window& window) override { return list(list_newest, window); }
  [[nodiscard]] std::vector<core::job_id> oldest(const core::page_window& window) override { return list(list_oldest, window); }

private:
  [[nodiscard]] const char* text_of(const job_statements& texts) const {
    if (is_filtered(search_))
      return of_groups_ ? texts.filtered_of_groups : texts.filtered;
    return of_groups_ ? texts.of_groups : texts.of_all;
  }

  void bind_all(statement& to, const core::page_window& window) {
    const auto& s = search_;
    to.with(groups_, window.limit, window.offset, s.running, s.name_part, s.handler_part, s.author_part);
  }

  std::vector<core::job_id> list(const job_statements& texts, const core::page_window& window) {
    auto listing = db_.prepare(text_of(texts));
    if (is_filtered(search_))
      bind_all(listing, window);
    else
      listing.with(groups_, window.limit, window.offset);
    std::vector<core::job_id> out;
    while (listing.step())
      out.push_back(listing.id<core::job_id>(0));
    return out;
  }

  connection& db_;
  const core::job_search& search_;
  bool of_groups_;
  std::string groups_;
};

} // namespace

std::optional<core::job_record> find_record(session& own, core::job_id job) {
  auto reading = own.db->prepare(read_record);
  return reading.with(job).step() ? std::optional{record_of<int>(reading, own.dates)} : std::nullopt;
}

core::result<core::job_record> job_editor_role::read(core::job_id job, const core::principal& by) {
  return within(*own_.db, transaction_kind::read, [&](connection&) -> core::result<core::job_record> {
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
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> core::result<core::page<core::job_record>> {
    searched_jobs jobs{db, search, *groups};
    const auto found = find_jobs(jobs, search, *groups, totals_);
    core::page<core::job_record> out;
    out.total = found.total;
    core::page_budget budget;
    for (const auto job : found.ids) {
      auto row = find_record(own_, job);
      if (row && !budget.takes(row->glue_source.size() + row->param.size()))
        break;
      if (row)
        out.rows.push_back(std::move(*row));
    }
    return out;
  });
}

core::result<std::vector<core::source_version>> job_editor_role::source_history(core::job_id job, const core::principal& by) {
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> core::result<std::vector<core::source_version>> {
    if (auto may = core::check_read(find_record(own_, job), job, by); !may)
      return tl::unexpected{may.error()};
    std::vector<core::source_version> out;
    auto listing = db.prepare(list_versions);
    listing.with(job, core::source_versions_max);
    core::page_budget budget;
    while (listing.step() && budget.takes(listing.text(2).size()))
      out.push_back({listing.number(0), job, std::string{listing.text(1)}, std::string{listing.text(2)},
                     std::string{listing.text(3)}, own_.dates.read(listing.text(4)), own_.dates.read(listing.text(5))});
    return out;
  });
}

} // namespace ringmaster::storage::sqlite
