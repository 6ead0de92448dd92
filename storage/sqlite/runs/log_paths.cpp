// Reads of the log along its indexes.

#include "storage/sqlite/runs/log_paths.hpp"

#include "storage/rows/run_filter_sql.hpp"
#include "storage/rows/run_status_sql.hpp"
#include "storage/sqlite/runs/run_sql.hpp"

namespace ringmaster::storage::sqlite {

namespace {

// Conditions that match few rows come first, because each of 100 000 rows is checked.
#define RINGMASTER_RUN_TERMS                                                                                                     \
  " AND " RINGMASTER_HAS_STATUS("?8", "?10", "handle_msg")                                                                       \
  " AND (?4 IS NULL OR job_group = ?4) AND (?5 IS NULL OR instr(',' || ?5 || ',', ',' || job_group || ',') > 0)"                 \
  " AND (?6 IS NULL OR trigger_time >= ?6) AND (?7 IS NULL OR trigger_time <= ?7)"                                               \
  " AND (?9 = '' OR executor_handler = ?9) AND (?11 = '' OR trigger_msg LIKE ?11)"                                               \
  " AND (?12 = 0 OR " RINGMASTER_HAS_KIND("?12", "trigger_msg") ")"                                                              \
  " AND (?13 = '' OR executor_address IN (?13, ?13 || '/'))"                                                                     \
  " AND (?14 IS NULL OR CASE WHEN handle_code + 0 <> 0"                                                                          \
  " THEN strftime('%s', handle_time) - strftime('%s', trigger_time) >= ?14"                                                      \
  " ELSE trigger_code IN (0, 200) AND trigger_time <= ?15 END)"                                                                  \
  " AND (?16 = '' OR " RINGMASTER_HAS_WORDS("?16", "?17", "trigger_msg", "handle_msg") ") "
#define RINGMASTER_ALL_RUNS                                                                                                      \
  "SELECT id FROM xxl_job_log NOT INDEXED WHERE id > ?1 AND id <= ?2 AND (?3 IS NULL OR job_id = ?3)" RINGMASTER_RUN_TERMS
#define RINGMASTER_RUNS_OF_JOB                                                                                                   \
  "SELECT id FROM xxl_job_log INDEXED BY I_jobid WHERE job_id = ?3 AND id > ?1 AND id <= ?2" RINGMASTER_RUN_TERMS

constexpr char newest_of_all[] = RINGMASTER_ALL_RUNS "ORDER BY id DESC LIMIT ?18";
constexpr char oldest_of_all[] = RINGMASTER_ALL_RUNS "ORDER BY id LIMIT ?18";
constexpr char newest_of_job[] = RINGMASTER_RUNS_OF_JOB "ORDER BY id DESC LIMIT ?18";
constexpr char oldest_of_job[] = RINGMASTER_RUNS_OF_JOB "ORDER BY id LIMIT ?18";
// Selects whether each row of an index meets the terms.
constexpr char seen_of_job[] =
  "SELECT id, 1" RINGMASTER_RUN_TERMS "FROM xxl_job_log INDEXED BY I_jobid WHERE job_id = ?3 AND id > ?1 AND id <= ?2 "
  "ORDER BY id DESC";
// For these the index decides all conditions.
constexpr char keys_of_job[] =
  "SELECT id, 1 FROM xxl_job_log INDEXED BY I_jobid WHERE job_id = ?3 AND id > ?1 AND id <= ?2 ORDER BY id DESC";
constexpr char seen_failed[] =
  "SELECT f.log_id, (?3 IS NULL OR job_id = ?3)" RINGMASTER_RUN_TERMS "FROM rm_failed_run f CROSS JOIN xxl_job_log l "
  "ON l.id = f.log_id WHERE f.log_id > ?1 AND f.log_id <= ?2 ORDER BY f.log_id DESC";

#undef RINGMASTER_RUNS_OF_JOB
#undef RINGMASTER_ALL_RUNS
#undef RINGMASTER_RUN_TERMS

constexpr char read_glance[] =
  "SELECT max(id), max(trigger_time) FROM (SELECT id, trigger_time FROM xxl_job_log NOT INDEXED "
  "WHERE id >= ?1 AND trigger_time IS NOT NULL ORDER BY id LIMIT ?2)";
constexpr char list_jobs[] =
  "SELECT id FROM xxl_job_info WHERE (?1 IS NULL OR job_group = ?1) "
  "AND (?2 IS NULL OR instr(',' || ?2 || ',', ',' || job_group || ',') > 0) ORDER BY id LIMIT ?3";

} // namespace

core::log_span log_paths::span() {
  auto reading = db_.prepare(log_span_text);
  reading.with().step();
  return {reading.id<core::log_id>(0), reading.id<core::log_id>(1)};
}

std::optional<run_paths::glance> log_paths::look_at(core::log_id id) {
  auto reading = db_.prepare(read_glance);
  if (!reading.with(id, glance_rows).step() || reading.is_null(0))
    return std::nullopt;
  return glance{reading.id<core::log_id>(0), std::string{reading.text(1)}};
}

run_paths::stretch log_paths::look_along(run_path path, const run_terms& terms, const core::log_range& range, std::size_t limit,
                                         std::int64_t rows) {
  stretch out;
  const bool said = said_by_path(path, terms);
  auto looking = db_.prepare(path == run_path::failed ? seen_failed : said ? keys_of_job : seen_of_job);
  if (said)
    looking.with(range.after, range.through, terms.job);
  else
    looking.with(range.after, range.through, terms.job, terms.group, terms.visible, terms.from, terms.until,
                 terms.chosen_status(), terms.handler, terms.one_of, terms.note, terms.kinds, terms.address, terms.min_seconds,
                 terms.open_until, terms.words, terms.words_after_note);
  for (; out.ids.size() < limit && looking.step(); --rows) {
    const auto id = looking.id<core::log_id>(0);
    if (rows == 0) {
      out.floor = id;
      break;
    }
    if (looking.number(1) != 0)
      out.ids.push_back(id);
  }
  return out;
}

std::vector<core::log_id> log_paths::list(const char* sql, const run_terms& terms, const core::log_range& range,
                                          std::size_t limit) {
  std::vector<core::log_id> ids;
  auto listing = db_.prepare(sql);
  listing.with(range.after, range.through, terms.job, terms.group, terms.visible, terms.from, terms.until,
               terms.chosen_status(), terms.handler, terms.one_of, terms.note, terms.kinds, terms.address, terms.min_seconds,
               terms.open_until, terms.words, terms.words_after_note, limit);
  while (listing.step())
    ids.push_back(listing.id<core::log_id>(0));
  return ids;
}

std::vector<core::log_id> log_paths::newest(run_path path, const run_terms& terms, const core::log_range& range,
                                            std::size_t limit) {
  return list(path == run_path::job ? newest_of_job : newest_of_all, terms, range, limit);
}

std::vector<core::log_id> log_paths::oldest(run_path path, const run_terms& terms, const core::log_range& range,
                                            std::size_t limit) {
  return list(path == run_path::job ? oldest_of_job : oldest_of_all, terms, range, limit);
}

std::vector<core::job_id> log_paths::jobs_of(const run_terms& terms, std::size_t limit) {
  std::vector<core::job_id> ids;
  auto listing = db_.prepare(list_jobs);
  listing.with(terms.group, terms.visible, limit);
  while (listing.step())
    ids.push_back(listing.id<core::job_id>(0));
  return ids;
}

} // namespace ringmaster::storage::sqlite
