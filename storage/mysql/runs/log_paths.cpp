// Reads of the log along its indexes.

#include "storage/mysql/runs/log_paths.hpp"

#include <algorithm>

#include "storage/rows/run_filter_sql.hpp"
#include "storage/rows/run_status_sql.hpp"

namespace ringmaster::storage::mysql {

namespace {

// Written so that no index serves these conditions: the table's hint and the preceding condition choose the path. A missing bound
// is a time that every server can read. Conditions that match few rows come first, because each of 100 000 rows is checked.
#define RINGMASTER_UTF8(column) "CONVERT(" #column " USING utf8mb4)"
#define RINGMASTER_RUN_TERMS                                                                                                     \
  " AND " RINGMASTER_HAS_STATUS("?", "?", RINGMASTER_UTF8(handle_msg))                                                           \
  " AND (? = 0 OR job_id + 0 = ?) AND (? = 0 OR job_group + 0 = ?) AND (? = '' OR FIND_IN_SET(job_group, ?) > 0)"                \
  " AND (? = 0 OR trigger_time + INTERVAL 0 SECOND >= ?) AND (? = 0 OR trigger_time + INTERVAL 0 SECOND <= ?)"            \
  " AND (? = '' OR executor_handler = ?) AND (? = '' OR trigger_msg LIKE ?)"                                                     \
  " AND (? = 0 OR " RINGMASTER_HAS_KIND("?", RINGMASTER_UTF8(trigger_msg)) ")"                                                   \
  " AND (? = '' OR executor_address IN (?, ?))"                                                                                  \
  " AND (? = 0 OR CASE WHEN handle_code + 0 <> 0 THEN TIMESTAMPDIFF(SECOND, trigger_time, handle_time) >= ?"                     \
  " ELSE trigger_code IN (0, 200) AND trigger_time + INTERVAL 0 SECOND <= ? END)"                                                \
  " AND (? = 0 OR " RINGMASTER_HAS_WORDS("?", "?", RINGMASTER_UTF8(trigger_msg), RINGMASTER_UTF8(handle_msg)) ") "
#define RINGMASTER_NEWEST RINGMASTER_RUN_TERMS "ORDER BY id DESC LIMIT ?"
#define RINGMASTER_OLDEST RINGMASTER_RUN_TERMS "ORDER BY id LIMIT ?"
#define RINGMASTER_ALL "SELECT id FROM xxl_job_log FORCE INDEX (PRIMARY) WHERE id > ? AND id <= ?"
#define RINGMASTER_ALONG(column) "SELECT id FROM xxl_job_log IGNORE INDEX (PRIMARY) WHERE " column " = ? AND id > ? AND id <= ?"
// Selects whether each of the newest rows of an index meets the terms. The inner part reads the index only: in a partitioned
// table the server would otherwise sort all rows of the key.
#define RINGMASTER_SEEN(some)                                                                                                    \
  "SELECT some.seen, TRUE" RINGMASTER_RUN_TERMS "FROM (" some ") some STRAIGHT_JOIN xxl_job_log l ON l.id = some.seen"           \
  " ORDER BY some.seen DESC"
#define RINGMASTER_KEYS(column)                                                                                                  \
  "SELECT id AS seen FROM xxl_job_log IGNORE INDEX (PRIMARY) WHERE " column " = ? AND id > ? AND id <= ? ORDER BY id DESC LIMIT ?"

constexpr sql newest_of_all{RINGMASTER_ALL RINGMASTER_NEWEST};
constexpr sql oldest_of_all{RINGMASTER_ALL RINGMASTER_OLDEST};
constexpr sql newest_of_job{RINGMASTER_ALONG("job_id") RINGMASTER_NEWEST};
constexpr sql oldest_of_job{RINGMASTER_ALONG("job_id") RINGMASTER_OLDEST};
constexpr sql newest_of_group{RINGMASTER_ALONG("job_group") RINGMASTER_NEWEST};
constexpr sql oldest_of_group{RINGMASTER_ALONG("job_group") RINGMASTER_OLDEST};
constexpr sql seen_of_job{RINGMASTER_SEEN(RINGMASTER_KEYS("job_id"))};
constexpr sql seen_of_group{RINGMASTER_SEEN(RINGMASTER_KEYS("job_group"))};
constexpr sql seen_open{RINGMASTER_SEEN(RINGMASTER_KEYS("handle_code"))};
constexpr sql seen_failed{RINGMASTER_SEEN(
  "SELECT log_id AS seen FROM rm_failed_run WHERE ? = 0 AND log_id > ? AND log_id <= ? ORDER BY log_id DESC LIMIT ?")};
// For these the index decides all conditions.
constexpr sql keys_of_job{RINGMASTER_KEYS("job_id")};
constexpr sql keys_of_group{RINGMASTER_KEYS("job_group")};

#undef RINGMASTER_KEYS
#undef RINGMASTER_SEEN
#undef RINGMASTER_ALONG
#undef RINGMASTER_ALL
#undef RINGMASTER_OLDEST
#undef RINGMASTER_NEWEST
#undef RINGMASTER_RUN_TERMS
#undef RINGMASTER_UTF8

/// Number of ids in the first step along an index.
constexpr std::int64_t first_step_ids = 100'000;
/// Placeholders of `RINGMASTER_HAS_KIND`.
constexpr int kinds_compared = 7;
constexpr const char* any_time = "2000-01-01 00:00:00";

/// Returns the parameter of the condition before the others.
std::optional<std::int64_t> key_of(run_path path, const run_terms& terms) {
  switch (path) {
  case run_path::job: return core::number(terms.job.value_or(core::job_id{}));
  case run_path::group: return core::number(terms.group.value_or(core::group_id{}));
  case run_path::open: return 0;
  case run_path::primary:
  case run_path::failed: break;
  }
  return std::nullopt;
}

statement& add_terms(statement& to, const run_terms& terms) {
  to.add(terms.chosen_status()).add(terms.one_of);
  to.add(terms.job.has_value()).add(terms.job.value_or(core::job_id{}));
  to.add(terms.group.has_value()).add(terms.group.value_or(core::group_id{}));
  to.add(terms.visible.value_or("")).add(terms.visible.value_or(""));
  to.add(terms.from.has_value()).add(terms.from.value_or(any_time));
  to.add(terms.until.has_value()).add(terms.until.value_or(any_time));
  to.add(terms.handler).add(terms.handler).add(terms.note).add(terms.note);
  for (int each = 0; each <= kinds_compared; ++each)
    to.add(terms.kinds);
  to.add(terms.address).add(terms.address).add(terms.address + '/');
  to.add(terms.min_seconds.has_value()).add(terms.min_seconds.value_or(0)).add(terms.open_until.value_or(any_time));
  return to.add(!terms.words.empty()).add(terms.words).add(terms.words).add(terms.words_after_note);
}

std::vector<core::log_id> ids_of(statement& some) {
  std::vector<core::log_id> ids;
  for (auto found = some.select(); found.next();)
    ids.push_back(found.id<core::log_id>(0));
  return ids;
}

std::vector<core::log_id> list(connection& db, sql text, run_path path, const run_terms& terms, const core::log_range& range,
                               std::size_t limit) {
  auto& statement = db.prepare(text);
  if (const auto key = key_of(path, terms))
    statement.add(*key);
  statement.add(range.after).add(range.through);
  return ids_of(add_terms(statement, terms).add(limit));
}

} // namespace

core::log_span log_paths::span() {
  auto row = own_.db.query("SELECT COALESCE(MIN(id), 0), COALESCE(MAX(id), 0) FROM xxl_job_log");
  if (!row.next())
    return {};
  return {row.id<core::log_id>(0), row.id<core::log_id>(1)};
}

std::optional<run_paths::glance> log_paths::look_at(core::log_id id) {
  auto row = own_.db.query("SELECT MAX(id), MAX(trigger_time) FROM (SELECT id, trigger_time FROM xxl_job_log"
                           " FORCE INDEX (PRIMARY) WHERE id >= ? AND trigger_time IS NOT NULL ORDER BY id LIMIT ?) AS next_ones",
                           id, glance_rows);
  if (!row.next() || row.is_null(0))
    return std::nullopt;
  return glance{row.id<core::log_id>(0), row.string(1)};
}

bool log_paths::has(run_path path) const {
  switch (path) {
  case run_path::job: return own_.shape.log_by_job;
  case run_path::group: return own_.shape.log_by_group;
  case run_path::open: return own_.shape.log_by_handle_code;
  case run_path::primary:
  case run_path::failed: break;
  }
  return true;
}

std::int64_t log_paths::look(run_path path, const run_terms& terms, const core::log_range& range, std::size_t limit,
                             std::int64_t rows, stretch& to) {
  const bool said = said_by_path(path, terms);
  const auto& text = path == run_path::job     ? (said ? keys_of_job : seen_of_job)
                     : path == run_path::group ? (said ? keys_of_group : seen_of_group)
                     : path == run_path::open  ? seen_open
                                               : seen_failed;
  auto& statement = own_.db.prepare(text);
  if (!said)
    add_terms(statement, terms);
  statement.add(key_of(path, terms).value_or(0)).add(range.after).add(range.through);
  const auto asked = said ? std::min(rows, static_cast<std::int64_t>(limit - to.ids.size())) : rows;
  auto found = statement.add(asked).select();
  std::int64_t seen = 0;
  for (core::log_id last{}; found.next() && to.ids.size() < limit; ++seen) {
    last = found.id<core::log_id>(0);
    if (said || found.number(1) != 0)
      to.ids.push_back(last);
    if (seen + 1 == rows && core::number(last) - 1 > core::number(range.after))
      to.floor = core::log_id{core::number(last) - 1};
  }
  return seen;
}

run_paths::stretch log_paths::look_along(run_path path, const run_terms& terms, const core::log_range& range, std::size_t limit,
                                         std::int64_t rows) {
  stretch out;
  // In growing steps: a key with many rows has enough of them in the first, and one with few rows is cheap anywhere.
  auto ids = path == run_path::failed ? core::number(range.through) : first_step_ids;
  for (auto through = core::number(range.through); through > core::number(range.after) && out.ids.size() < limit && !out.floor;) {
    const auto after = std::max(core::number(range.after), through - ids);
    rows -= look(path, terms, {core::log_id{after}, core::log_id{through}}, limit, rows, out);
    if (rows == 0 && !out.floor && after > core::number(range.after))
      out.floor = core::log_id{after};
    through = after;
    ids *= 8;
  }
  return out;
}

std::vector<core::log_id> log_paths::newest(run_path path, const run_terms& terms, const core::log_range& range,
                                            std::size_t limit) {
  const auto& text = path == run_path::job ? newest_of_job : path == run_path::group ? newest_of_group : newest_of_all;
  return list(own_.db, text, path, terms, range, limit);
}

std::vector<core::log_id> log_paths::oldest(run_path path, const run_terms& terms, const core::log_range& range,
                                            std::size_t limit) {
  const auto& text = path == run_path::job ? oldest_of_job : path == run_path::group ? oldest_of_group : oldest_of_all;
  return list(own_.db, text, path, terms, range, limit);
}

std::vector<core::job_id> log_paths::jobs_of(const run_terms& terms, std::size_t limit) {
  const auto visible = terms.visible.value_or("");
  auto found = own_.db.query("SELECT id FROM xxl_job_info WHERE (? = 0 OR job_group = ?)"
                             " AND (? = '' OR FIND_IN_SET(job_group, ?) > 0) ORDER BY id LIMIT ?",
                             terms.group.has_value(), terms.group.value_or(core::group_id{}), visible, visible, limit);
  std::vector<core::job_id> ids;
  while (found.next())
    ids.push_back(found.id<core::job_id>(0));
  return ids;
}

} // namespace ringmaster::storage::mysql
