#include "storage/mysql/schema/partitions.hpp"

#include <algorithm>
#include <charconv>

namespace ringmaster::storage::mysql {

namespace {

using clock = std::chrono::steady_clock;

/// Number of runs that one statement counts.
constexpr std::int64_t ids_per_count = 50'000;

/// Shortens the lock wait: a change of the table waits for transactions that use it and blocks all new ones meanwhile.
class short_lock_wait {
public:
  explicit short_lock_wait(connection& db) : db_{db} { db_.command("SET SESSION lock_wait_timeout = 1"); }
  short_lock_wait(const short_lock_wait&) = delete;
  short_lock_wait& operator=(const short_lock_wait&) = delete;
  ~short_lock_wait() {
    try {
      db_.command("SET SESSION lock_wait_timeout = DEFAULT");
    } catch (const driver_error&) {
      // The connection is gone, and its settings with it.
    }
  }

private:
  connection& db_;
};

std::string part_text(std::int64_t number) {
  return "PARTITION p" + std::to_string(number) + " VALUES LESS THAN (" + std::to_string(number * ids_per_part + 1) + ")";
}

std::int64_t newest_run(connection& db) {
  auto row = db.query("SELECT COALESCE(MAX(id), 0) FROM xxl_job_log");
  return row.next() ? row.number(0) : 0;
}

} // namespace

std::vector<log_part> log_parts(connection& db) {
  std::vector<log_part> parts;
  auto found = db.query("SELECT PARTITION_NAME, PARTITION_DESCRIPTION FROM information_schema.PARTITIONS"
                        " WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'xxl_job_log' AND PARTITION_METHOD = 'RANGE'"
                        " ORDER BY PARTITION_ORDINAL_POSITION");
  while (found.next()) {
    log_part part{found.string(0)};
    const auto end = found.text(1);
    std::int64_t number = 0;
    if (std::from_chars(end.data(), end.data() + end.size(), number).ec == std::errc{})
      part.end = number;
    parts.push_back(std::move(part));
  }
  return parts;
}

// The last partition takes ids that have no partition yet, so no run is ever refused. It is only split while it is empty:
// otherwise its rows would be copied under a lock.
void add_parts(connection& db) {
  const auto parts = log_parts(db);
  if (parts.empty() || parts.back().end)
    return;
  const auto newest = newest_run(db);
  const auto end = parts.size() < 2 ? 1 : parts[parts.size() - 2].end.value_or(1);
  const auto wanted = newest / ids_per_part + parts_ahead;
  const auto first = (end - 1) / ids_per_part + 1;
  if (newest >= end || wanted < first)
    return;
  std::string text = "ALTER TABLE xxl_job_log REORGANIZE PARTITION " + parts.back().name + " INTO (";
  for (auto number = first; number <= wanted; ++number)
    text += part_text(number) + ", ";
  const short_lock_wait patience{db};
  db.command(text + "PARTITION " + parts.back().name + " VALUES LESS THAN MAXVALUE)");
}

std::optional<core::log_range> next_part(const std::vector<log_part>& parts, core::log_id after) {
  std::int64_t begin = 0;
  for (const auto& part : parts) {
    if (!part.end)
      return std::nullopt;
    if (*part.end - 1 > core::number(after))
      return core::log_range{core::log_id{begin}, core::log_id{*part.end - 1}};
    begin = *part.end - 1;
  }
  return std::nullopt;
}

// Counts in stretches: MySQL has no time limit for a statement, so a long one would exceed that of the connection, and end it.
std::optional<std::size_t> count_if_all_old(session& own, const core::log_range& part, core::time_point before) {
  auto claims = own.db.query("SELECT 1 FROM rm_claim WHERE first_log_id <= ? LIMIT 1", part.through);
  if (claims.next())
    return std::nullopt;
  const std::string limit{own.dates.of(before)};
  std::int64_t count = 0;
  for (auto after = core::number(part.after); after < core::number(part.through); after += ids_per_count) {
    auto runs = own.db.query("SELECT COUNT(*), COUNT(CASE WHEN trigger_time <= ? THEN 1 END) FROM xxl_job_log"
                             " FORCE INDEX (PRIMARY) WHERE id > ? AND id <= ?",
                             limit, after, std::min(after + ids_per_count, core::number(part.through)));
    if (!runs.next() || runs.number(0) != runs.number(1))
      return std::nullopt;
    count += runs.number(0);
  }
  return static_cast<std::size_t>(count);
}

std::optional<std::chrono::microseconds> drop_part(connection& db, const core::log_range& part) {
  const auto parts = log_parts(db);
  const auto is_it = [&](const log_part& one) { return one.end && *one.end - 1 == core::number(part.through); };
  const auto named = std::find_if(parts.begin(), parts.end(), is_it);
  if (named == parts.end())
    return std::nullopt;
  // An empty table is exchanged for the partition, which is fast regardless of its size.
  db.command("DROP TABLE IF EXISTS rm_log_gone");
  db.command("CREATE TABLE rm_log_gone LIKE xxl_job_log");
  db.command("ALTER TABLE rm_log_gone REMOVE PARTITIONING");
  std::chrono::microseconds locked{0};
  {
    const short_lock_wait patience{db};
    for (const auto& change :
         {"EXCHANGE PARTITION " + named->name + " WITH TABLE rm_log_gone", "DROP PARTITION " + named->name}) {
      const auto began = clock::now();
      db.command("ALTER TABLE xxl_job_log " + change);
      locked = std::max(locked, std::chrono::duration_cast<std::chrono::microseconds>(clock::now() - began));
    }
  }
  db.command("DROP TABLE rm_log_gone");
  return locked;
}

} // namespace ringmaster::storage::mysql
