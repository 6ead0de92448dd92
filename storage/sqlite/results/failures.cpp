// Failed runs without a decision. Only here a log row is judged by its columns.

#include <algorithm>

#include "core/run/record_rules.hpp"
#include "storage/rows/claim_values.hpp"
#include "storage/sqlite/firing/alarm_rows.hpp"
#include "storage/sqlite/results/alarms.hpp"
#include "storage/sqlite/runs/run_sql.hpp"

namespace ringmaster::storage::sqlite {

namespace {

// Condition as in XXL's list of failed logs (XXL admin §2.6): undecided, or claimed by an admin without one of our alarms.
#define RINGMASTER_UNDECIDED                                                                                                     \
  "FROM xxl_job_log l WHERE l.handle_code <> 200 AND (l.alarm_status = 0 OR (l.alarm_status = -1 AND NOT EXISTS "                \
  "(SELECT 1 FROM rm_intent i WHERE i.job = l.job_id AND i.kind = 'alarm' AND i.fire_ms = 0 AND i.origin_log_id = l.id))) "
#define RINGMASTER_COLUMNS                                                                                                       \
  "SELECT l.id, l.job_id, l.trigger_code, l.handle_code, l.alarm_status, l.executor_fail_retry_count, l.executor_param, "        \
  "l.executor_sharding_param, l.trigger_time, l.handle_time "

constexpr char newest_run[] = "SELECT coalesce(max(id), 0) FROM xxl_job_log";
constexpr char is_of_age[] = "SELECT trigger_time >= ?2 FROM xxl_job_log WHERE id > ?1 ORDER BY id LIMIT 1";
constexpr char read_undecided[] = RINGMASTER_COLUMNS RINGMASTER_UNDECIDED "AND l.id = ?1";
constexpr char list_undecided[] = RINGMASTER_COLUMNS RINGMASTER_UNDECIDED
  "AND l.id > ?1 AND l.id <= ?2 AND (?3 OR NOT (l.trigger_code IN (0, 200) AND l.handle_code = 0)) ORDER BY l.id";
constexpr char still_undecided[] =
  "SELECT 1 " RINGMASTER_UNDECIDED "AND l.id = ?1 AND l.alarm_status = ?2 AND l.trigger_code = ?3 AND l.handle_code = ?4";
constexpr char write_alarm_status[] = "UPDATE xxl_job_log SET alarm_status = ?2 WHERE id = ?1";
constexpr char insert_foreign_retry[] =
  "INSERT OR IGNORE INTO rm_intent (kind, job, fire_ms, origin_log_id, shard, shard_total, param, retry_left, created_ms) "
  "VALUES ('retry', ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

#undef RINGMASTER_COLUMNS
#undef RINGMASTER_UNDECIDED

struct candidate {
  core::intent retry;
  std::int32_t trigger_code = 0;
  std::int32_t handle_code = 0;
  std::int32_t status = 0;
  /// Whether a retry follows.
  bool retried = false;
  core::time_point ended{};

  [[nodiscard]] core::log_id run() const noexcept { return retry.origin; }
  [[nodiscard]] bool open() const noexcept { return handle_code == 0 && (trigger_code == 0 || trigger_code == 200); }
};

/// One check, without the lock on the one writer.
class failure_look {
public:
  failure_look(session& own, failure_progress& progress, core::time_point now, std::size_t limit)
    : db_{*own.db}, dates_{own.dates}, progress_{progress}, now_{now}, limit_{limit} {}

  /// Returns true when there are more rows to check.
  bool run(bool follow_open) {
    auto reading = db_.prepare(newest_run);
    reading.with().step();
    const core::log_id newest{reading.number(0)};
    if (!progress_.started) {
      progress_.swept = last_too_old(newest);
      progress_.started = true;
    }
    settle(progress_, newest, now_);
    for (const auto id : take_open(progress_)) {
      auto row = db_.prepare(read_undecided);
      if (row.with(id).step())
        judge(read(row));
    }
    return look_at_stretch(follow_open);
  }

  std::vector<candidate> failed;

private:
  /// Found by bisection, because a lean log has no index on the time.
  core::log_id last_too_old(core::log_id newest) {
    const auto oldest = dates_.of(now_ - failure_age_max);
    std::int64_t low = 0;
    std::int64_t high = core::number(newest);
    while (low < high) {
      const auto middle = low + (high - low) / 2;
      auto row = db_.prepare(is_of_age);
      if (!row.with(middle, oldest).step() || row.number(0) == 1)
        high = middle;
      else
        low = middle + 1;
    }
    return core::log_id{low};
  }

  bool look_at_stretch(bool follow_open) {
    const auto end = std::min(core::number(progress_.settled), core::number(progress_.swept) + failure_ids_per_sweep);
    core::log_id passed{end};
    auto listing = db_.prepare(list_undecided);
    listing.with(progress_.swept, end, follow_open);
    while (listing.step()) {
      if (failed.size() >= limit_) {
        passed = core::log_id{listing.number(0) - 1};
        break;
      }
      judge(read(listing));
    }
    progress_.swept = std::max(progress_.swept, passed);
    return progress_.swept < progress_.settled;
  }

  candidate read(const statement& row) {
    candidate out;
    out.retry.kind = core::trigger_kind::retry;
    out.retry.origin = row.id<core::log_id>(0);
    out.retry.job = row.id<core::job_id>(1);
    out.trigger_code = row.small(2);
    out.handle_code = row.small(3);
    out.status = row.small(4);
    const auto retries = core::retries_after_failure(row.small(5));
    out.retried = retries.has_value();
    out.retry.retry_left = retries.value_or(0);
    out.retry.param = row.optional_text(6);
    out.retry.part = read_sharding(row.text(7));
    const auto fired = dates_.read(row.text(8));
    out.ended = fired.value_or(core::time_point{});
    out.retry.fire_at = std::min(fired.value_or(now_), now_);
    if (const auto handled = out.handle_code != 0 ? dates_.read(row.text(9)) : std::nullopt)
      out.ended = std::max(out.ended, *handled);
    return out;
  }

  void judge(candidate found) {
    if (found.ended < now_ - failure_age_max)
      return;
    const bool claimed = found.status == core::alarm_status::claimed;
    if (found.open() || (claimed && found.ended > now_ - alarm_claim_over))
      keep_open(progress_, found.run());
    else
      failed.push_back(std::move(found));
  }

  connection& db_;
  datetime_text& dates_;
  failure_progress& progress_;
  const core::time_point now_;
  const std::size_t limit_;
};

core::failure_sweep decide(connection& db, std::vector<candidate>& failed, core::time_point now) {
  core::failure_sweep out;
  alarm_reading about{db};
  for (auto& each : failed) {
    const auto job = each.retry.job;
    const bool retried = each.retried;
    if (!db.prepare(still_undecided).with(each.run(), each.status, each.trigger_code, each.handle_code).step())
      continue;
    ++out.decided;
    out.released += each.status == core::alarm_status::claimed ? 1 : 0;
    db.run(write_alarm_status, each.run(), about.status(job, retried));
    db.run(insert_failed_run, each.run(), job, each.retry.fire_at);
    if (about.needs(job, retried))
      insert_alarm(db, job, each.run(), core::alarm_kind::failure, now);
    if (!retried)
      continue;
    const auto& part = each.retry.part;
    if (db.run(insert_foreign_retry, job, each.retry.fire_at, each.run(), part.index, part.broadcast ? part.total : 0,
               each.retry.param, each.retry.retry_left, now) != 1)
      continue;
    each.retry.id = core::intent_id{db.last_id()};
    out.intents.push_back(std::move(each.retry));
  }
  return out;
}

} // namespace

core::result<core::failure_sweep> alarm_role::sweep(core::time_point now, bool follow_open, std::size_t limit) {
  auto progress = failures_;
  failure_look look{own_, progress, now, limit};
  auto more = within(*own_.db, transaction_kind::read,
                     [&](connection&) -> core::result<bool> { return look.run(follow_open); });
  if (!more)
    return tl::unexpected{more.error()};
  core::failure_sweep out;
  if (!look.failed.empty()) {
    auto decided = within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<core::failure_sweep> {
      return decide(db, look.failed, now);
    });
    if (!decided)
      return decided;
    out = std::move(*decided);
  }
  out.more = *more;
  failures_ = std::move(progress);
  return out;
}

} // namespace ringmaster::storage::sqlite
