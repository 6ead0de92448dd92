// Failed runs without a decision. Only here a log row is judged by its columns.

#include <algorithm>

#include "core/run/record_rules.hpp"
#include "storage/mysql/cluster/schedule_lock.hpp"
#include "storage/mysql/driver/batches.hpp"
#include "storage/mysql/firing/alarm_rows.hpp"
#include "storage/mysql/firing/intents.hpp"
#include "storage/mysql/results/alarms.hpp"
#include "storage/mysql/results/foreign_retries.hpp"
#include "storage/rows/claim_values.hpp"

namespace ringmaster::storage::mysql {

namespace {

/// Condition as in XXL's list of failed logs (XXL admin §2.6): undecided, or claimed by an admin without one of our alarms. The
/// latter in native mode only: claims of Java admins are theirs, retries included.
#define RINGMASTER_UNDECIDED                                                                                                     \
  " FROM xxl_job_log l FORCE INDEX (PRIMARY) WHERE l.handle_code <> 200 AND (l.alarm_status = 0 OR (l.alarm_status = -1 AND ?"   \
  " AND NOT EXISTS (SELECT 1 FROM rm_intent i WHERE i.job = l.job_id AND i.kind = 'alarm' AND i.fire_ms = 0"                     \
  " AND i.origin_log_id = l.id)))"
#define RINGMASTER_COLUMNS                                                                                                       \
  "SELECT l.id, l.job_id, l.trigger_code, l.handle_code, l.alarm_status, l.executor_fail_retry_count, l.executor_param,"         \
  " l.executor_sharding_param, l.trigger_time, l.handle_time"

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

class failure_sweeping {
public:
  failure_sweeping(session& own, failure_progress& progress, core::time_point now, bool follow_open, std::size_t limit)
    : own_{own},
      db_{own.db},
      progress_{progress},
      alone_{is_native(own.db)},
      now_{now},
      follow_open_{follow_open},
      limit_{limit} {}

  core::failure_sweep run() {
    const auto newest = newest_run();
    if (!progress_.started) {
      progress_.swept = first_of_age(newest);
      progress_.started = true;
    }
    settle(progress_, newest, now_);
    look_at_open();
    look_at_stretch();
    decide();
    return std::move(out_);
  }

private:
  core::log_id newest_run() {
    auto row = db_.query("SELECT COALESCE(MAX(id), 0) FROM xxl_job_log");
    return row.next() ? row.id<core::log_id>(0) : core::log_id{};
  }

  /// Returns the last run that is too old, found by bisection, because a lean log has no index on the time.
  core::log_id first_of_age(core::log_id newest) {
    const std::string oldest{own_.dates.of(now_ - failure_age_max)};
    std::int64_t low = 0;
    std::int64_t high = core::number(newest);
    while (low < high) {
      const auto middle = low + (high - low) / 2;
      auto row = db_.query("SELECT trigger_time >= ? FROM xxl_job_log WHERE id > ? ORDER BY id LIMIT 1", oldest, middle);
      if (!row.next() || row.number(0) == 1)
        high = middle;
      else
        low = middle + 1;
    }
    return core::log_id{low};
  }

  void look_at_open() {
    const auto runs = take_open(progress_);
    for (const auto part : padded_chunks(runs.size())) {
      auto& some = db_.prepare(RINGMASTER_COLUMNS RINGMASTER_UNDECIDED " AND l.id IN ({?,})", part.rows);
      some.add(alone_);
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(runs[part.at(i)]);
      for (auto found = some.select(); found.next();)
        judge(read(found));
    }
  }

  void look_at_stretch() {
    const auto end = std::min(core::number(progress_.settled), core::number(progress_.swept) + failure_ids_per_sweep);
    auto passed = core::log_id{end};
    auto found = db_.query(RINGMASTER_COLUMNS RINGMASTER_UNDECIDED " AND l.id > ? AND l.id <= ?"
                           " AND (? OR NOT (l.trigger_code IN (0, 200) AND l.handle_code = 0)) ORDER BY l.id",
                           alone_, progress_.swept, end, follow_open_);
    while (found.next()) {
      if (failed_.size() >= limit_) {
        passed = core::log_id{found.number(0) - 1};
        break;
      }
      judge(read(found));
    }
    progress_.swept = std::max(progress_.swept, passed);
    out_.more = progress_.swept < progress_.settled;
  }

  candidate read(const rows& row) {
    candidate out;
    out.retry.kind = core::trigger_kind::retry;
    out.retry.origin = row.id<core::log_id>(0);
    out.retry.job = row.id<core::job_id>(1);
    out.trigger_code = row.number32(2);
    out.handle_code = row.number32(3);
    out.status = row.number32(4);
    const auto retries = core::retries_after_failure(row.number32(5));
    out.retried = retries.has_value();
    out.retry.retry_left = retries.value_or(0);
    out.retry.param = row.optional_string(6);
    out.retry.part = read_sharding(row.text(7));
    const auto fired = own_.dates.read(row.text(8));
    out.ended = fired.value_or(core::time_point{});
    out.retry.fire_at = std::min(fired.value_or(now_), now_);
    if (const auto handled = out.handle_code != 0 ? own_.dates.read(row.text(9)) : std::nullopt)
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
      failed_.push_back(std::move(found));
  }

  /// Locks the row. Returns whether it is unchanged since it was read.
  bool lock(const candidate& each) {
    return db_
      .query("SELECT 1" RINGMASTER_UNDECIDED " AND l.id = ? AND l.alarm_status = ? AND l.trigger_code = ? AND l.handle_code = ?"
             " FOR UPDATE",
             alone_, each.run(), each.status, each.trigger_code, each.handle_code)
      .next();
  }

  void decide() {
    std::sort(failed_.begin(), failed_.end(), [](const auto& a, const auto& b) { return a.run() < b.run(); });
    std::vector<core::job_id> jobs;
    for (const auto& each : failed_)
      jobs.push_back(each.retry.job);
    const auto book = read_alarm_book(own_, jobs);
    std::vector<core::intent> retries;
    std::vector<new_alarm> alarms;
    std::vector<core::log_id> told;
    for (auto& each : failed_) {
      const bool retried = each.retried;
      if (!lock(each))
        continue;
      db_.execute("UPDATE xxl_job_log SET alarm_status = ? WHERE id = ?", book.status(each.retry.job, retried), each.run());
      ++out_.decided;
      out_.released += each.status == core::alarm_status::claimed ? 1 : 0;
      db_.execute("INSERT IGNORE INTO rm_failed_run (log_id, job, fire_ms) VALUES (?, ?, ?)", each.run(), each.retry.job,
                  each.retry.fire_at);
      if (book.needs(each.retry.job, retried))
        alarms.push_back({each.retry.job, each.run(), core::alarm_kind::failure});
      if (retried) {
        told.push_back(each.run());
        retries.push_back(std::move(each.retry));
      }
    }
    tell_of_retries(own_, told);
    insert_alarms(own_, alarms, now_);
    out_.intents = insert_intents(own_, std::move(retries), now_);
  }

  session& own_;
  connection& db_;
  failure_progress& progress_;
  /// Whether the mode is native.
  const bool alone_;
  const core::time_point now_;
  const bool follow_open_;
  const std::size_t limit_;
  std::vector<candidate> failed_;
  core::failure_sweep out_;
};

#undef RINGMASTER_COLUMNS
#undef RINGMASTER_UNDECIDED

} // namespace

core::result<core::failure_sweep> alarm_role::sweep(core::time_point now, bool follow_open, std::size_t limit) {
  auto progress = failures_;
  auto swept = own_.db.transact([&]() -> core::result<core::failure_sweep> {
    progress = failures_;
    return failure_sweeping{own_, progress, now, follow_open, limit}.run();
  });
  if (swept)
    failures_ = std::move(progress);
  return swept;
}

} // namespace ringmaster::storage::mysql
