#include "storage/mysql/jobs/searched_jobs.hpp"

#include <algorithm>
#include <bit>

namespace ringmaster::storage::mysql {

namespace {

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

} // namespace

std::unique_ptr<job_paths> paths_of(connection& db, const core::job_search& search, const group_list& groups) {
  return std::make_unique<searched_jobs>(db, search, groups);
}

} // namespace ringmaster::storage::mysql
