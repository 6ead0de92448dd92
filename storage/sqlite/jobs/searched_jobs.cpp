#include "storage/sqlite/jobs/searched_jobs.hpp"

namespace ringmaster::storage::sqlite {

namespace {

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

/// Returns `[1,2]`, as one value.
std::string json_list(const std::vector<core::group_id>& groups) {
  std::string out = "[";
  for (const auto group : groups)
    out += (out.size() > 1 ? "," : "") + std::to_string(core::number(group));
  return out + ']';
}

class searched_jobs final : public job_paths {
public:
  searched_jobs(connection& db, const core::job_search& search, const group_list& groups)
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

std::unique_ptr<job_paths> paths_of(connection& db, const core::job_search& search, const group_list& groups) {
  return std::make_unique<searched_jobs>(db, search, groups);
}

} // namespace ringmaster::storage::sqlite
