// Jobs with all their columns, for people.

#include <algorithm>

#include "storage/job_draft_rules.hpp"
#include "storage/job_edit_rules.hpp"
#include "storage/job_record_row.hpp"
#include "storage/sqlite/sqlite_store.hpp"

namespace ringmaster::storage::sqlite {

namespace {

constexpr char read_record[] = RINGMASTER_RECORD_COLUMNS(
  "job_desc") "s.next_ms, s.last_ms, s.revision FROM xxl_job_info i LEFT JOIN rm_schedule s ON s.job = i.id "
              "LEFT JOIN rm_job_ext x ON x.job = i.id WHERE i.id = ?1";

// ?1 to ?4 are the filters that a row is asked for; a group comes first, where there is one.
#define RINGMASTER_JOB_FILTERS                                                                                                   \
  "(?1 IS NULL OR (trigger_status = 1) = ?1) AND (?2 = '' OR instr(lower(job_desc), lower(?2)) > 0) "                            \
  "AND (?3 = '' OR instr(lower(executor_handler), lower(?3)) > 0) AND (?4 = '' OR instr(lower(author), lower(?4)) > 0) "
constexpr char count_all_jobs[] = "SELECT count(*) FROM xxl_job_info";
constexpr char count_jobs[] = "SELECT count(*) FROM xxl_job_info WHERE " RINGMASTER_JOB_FILTERS;
constexpr char list_job_rows[] =
  "SELECT id FROM xxl_job_info WHERE " RINGMASTER_JOB_FILTERS "ORDER BY id DESC LIMIT ?5 OFFSET ?6";
constexpr char count_in[] = "SELECT count(*) FROM xxl_job_info WHERE job_group IN (SELECT value FROM json_each(?5)) AND "
                            RINGMASTER_JOB_FILTERS;
constexpr char count_groups[] = "SELECT count(*) FROM xxl_job_info WHERE job_group IN (SELECT value FROM json_each(?1))";
constexpr char list_in[] = "SELECT id FROM xxl_job_info WHERE job_group IN (SELECT value FROM json_each(?7)) AND "
                           RINGMASTER_JOB_FILTERS "ORDER BY id DESC LIMIT ?5 OFFSET ?6";
#undef RINGMASTER_JOB_FILTERS

constexpr char list_versions[] = "SELECT id, glue_type, glue_source, glue_remark, add_time, update_time FROM xxl_job_logglue "
                                 "WHERE job_id = ?1 ORDER BY id DESC LIMIT ?2";

/// `[1,2]`: as one value.
std::string json_list(const std::vector<core::group_id>& groups) {
  std::string out = "[";
  for (const auto group : groups)
    out += (out.size() > 1 ? "," : "") + std::to_string(core::number(group));
  return out + ']';
}

} // namespace

std::optional<core::job_record> find_record(session& own, core::job_id job) {
  auto reading = own.db->prepare(read_record);
  return reading.with(job).step() ? std::optional{record_of<int>(reading, own.dates)} : std::nullopt;
}

core::result<core::job_record> job_writes::read(core::job_id job, const core::principal& by) {
  return within(*session_.db, transaction_kind::read, [&](connection&) -> core::result<core::job_record> {
    auto held = find_record(session_, job);
    if (auto may = check_read(held, job, by); !may)
      return tl::unexpected{may.error()};
    return std::move(*held);
  });
}

core::result<core::page<core::job_record>> job_writes::page(const core::job_search& search, const core::principal& by) {
  const auto groups = groups_to_list(search.group, search.visible, by);
  if (!groups)
    return tl::unexpected{groups.error()};
  return within(*session_.db, transaction_kind::read, [&](connection& db) -> core::result<core::page<core::job_record>> {
    core::page<core::job_record> out;
    const auto limit = std::min(search.window.limit, core::page_rows_max);
    const auto in = json_list(groups->value_or(std::vector<core::group_id>{}));
    const bool filtered =
      search.running || !search.name_part.empty() || !search.handler_part.empty() || !search.author_part.empty();
    auto counting = db.prepare(*groups ? (filtered ? count_in : count_groups) : filtered ? count_jobs : count_all_jobs);
    auto listing = db.prepare(*groups ? list_in : list_job_rows);
    const auto& s = search;
    if (!filtered && *groups)
      counting.with(in);
    else if (!filtered)
      counting.with();
    else if (*groups)
      counting.with(s.running, s.name_part, s.handler_part, s.author_part, in);
    else
      counting.with(s.running, s.name_part, s.handler_part, s.author_part);
    if (*groups)
      listing.with(s.running, s.name_part, s.handler_part, s.author_part, limit, s.window.offset, in);
    else
      listing.with(s.running, s.name_part, s.handler_part, s.author_part, limit, s.window.offset);
    if (counting.step())
      out.total = counting.number(0);
    page_budget budget;
    while (listing.step()) {
      auto row = find_record(session_, listing.id<core::job_id>(0));
      if (row && !budget.takes(row->glue_source.size() + row->param.size()))
        break;
      if (row)
        out.rows.push_back(std::move(*row));
    }
    return out;
  });
}

core::result<std::vector<core::source_version>> job_writes::source_history(core::job_id job, const core::principal& by) {
  return within(*session_.db, transaction_kind::read, [&](connection& db) -> core::result<std::vector<core::source_version>> {
    if (auto may = check_read(find_record(session_, job), job, by); !may)
      return tl::unexpected{may.error()};
    std::vector<core::source_version> out;
    auto listing = db.prepare(list_versions);
    listing.with(job, core::source_versions_max);
    page_budget budget;
    while (listing.step() && budget.takes(listing.text(2).size()))
      out.push_back({listing.number(0), job, std::string{listing.text(1)}, std::string{listing.text(2)},
                     std::string{listing.text(3)}, session_.dates.read(listing.text(4)), session_.dates.read(listing.text(5))});
    return out;
  });
}

} // namespace ringmaster::storage::sqlite
