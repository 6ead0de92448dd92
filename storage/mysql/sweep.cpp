#include <unordered_set>

#include "storage/claim_items.hpp"
#include "storage/mysql/alarm_rows.hpp"
#include "storage/mysql/batches.hpp"
#include "storage/mysql/firing.hpp"
#include "storage/mysql/row_texts.hpp"

namespace ringmaster::storage::mysql {

namespace {

constexpr std::int64_t ids_per_sweep = 20'000;
constexpr const char* abandoned_message = "abandoned: no node holds this run";

struct open_run {
  core::log_id id{};
  core::job_id job{};
  core::time_point fire_at{};
};

std::unordered_set<std::int64_t> held_runs(connection& db) {
  std::unordered_set<std::int64_t> out;
  auto claims = db.query("SELECT first_log_id, items FROM rm_claim");
  while (claims.next())
    if (const auto items = unpack(claims.id<core::log_id>(0), claims.text(1)))
      for (const auto& item : *items)
        out.insert(core::number(item.id));
  return out;
}

/// One stretch of the log, walked along the primary key because nothing else indexes codes and times.
class sweep {
public:
  sweep(session& own, core::time_point before, std::size_t limit) : own_{own}, db_{own.db}, before_{before}, limit_{limit} {}

  core::result<core::sweep_outcome> run(sweep_progress& progress) {
    // What was taken long ago needs its unique key no more.
    const auto forgotten = db_.execute("DELETE FROM rm_intent WHERE state = 1 AND created_ms <= ? LIMIT ?", before_, limit_);
    const auto more = collect(progress) || static_cast<std::size_t>(forgotten) == limit_;
    if (forgotten > 0)
      forget_asked_runs();
    fail_all();
    return core::sweep_outcome{abandoned_.size(), more};
  }

private:
  /// True when there is more to look at now.
  bool collect(sweep_progress& progress) {
    const auto newest = newest_run();
    settle(progress, newest);
    const auto last = std::min(core::number(newest), core::number(progress.swept) + ids_per_sweep);
    auto found = db_.query("SELECT id, trigger_time <= ?, job_id, trigger_time FROM xxl_job_log FORCE INDEX (PRIMARY)"
                           " WHERE id > ? AND id <= ? AND trigger_code = 0 AND handle_code = 0 ORDER BY id",
                           std::string{own_.dates.of(before_)}, progress.swept, last);
    const auto held = held_runs(db_);
    auto resolved_up_to = core::log_id{last};
    while (abandoned_.size() < limit_ && found.next()) {
      const auto id = found.id<core::log_id>(0);
      if (found.number(1) == 1 && !held.contains(core::number(id)))
        abandoned_.push_back({id, found.id<core::job_id>(2), own_.dates.read(found.text(3)).value_or(before_)});
      else
        resolved_up_to = std::min(resolved_up_to, core::log_id{core::number(id) - 1});
    }
    const auto limited = abandoned_.size() == limit_ && limit_ > 0;
    if (limited)
      resolved_up_to = std::min(resolved_up_to, abandoned_.back().id);
    progress.swept = std::max(progress.swept, std::min(resolved_up_to, progress.settled));
    return limited || (core::number(progress.swept) == last && progress.swept < progress.settled);
  }

  /// Their intent is forgotten, and no retry of them can come any more that would want the addresses.
  void forget_asked_runs() {
    auto found = db_.query(
      "SELECT a.log_id FROM rm_asked_run a LEFT JOIN rm_intent n ON n.id = a.intent LEFT JOIN xxl_job_log l ON l.id = a.log_id"
      " WHERE n.id IS NULL AND (a.addresses IS NULL OR l.id IS NULL OR l.handle_code <> 0 OR l.trigger_code NOT IN (0, 200))"
      " LIMIT ?",
      limit_);
    while (found.next())
      db_.execute("DELETE FROM rm_asked_run WHERE log_id = ?", found.number(0));
  }

  core::log_id newest_run() {
    auto row = db_.query("SELECT COALESCE(MAX(id), 0) FROM xxl_job_log");
    return row.next() ? row.id<core::log_id>(0) : core::log_id{};
  }

  /// A transaction that is still open may own ids below the newest that is seen; a minute later it is over.
  void settle(sweep_progress& progress, core::log_id newest) const {
    if (before_ < progress.seen_at + std::chrono::minutes{1})
      return;
    progress.settled = progress.seen;
    progress.seen = newest;
    progress.seen_at = before_;
  }

  /// Without retries, and with their alarms (T5).
  void fail_all() {
    std::vector<core::job_id> jobs;
    for (const auto& run : abandoned_)
      jobs.push_back(run.job);
    const auto book = read_alarm_book(own_, jobs);
    std::vector<new_alarm> alarms;
    for (const auto& run : abandoned_)
      if (fail(run, book.status(run.job, false)) && book.needs(run.job, false))
        alarms.push_back({run.job, run.id, core::alarm_kind::failure});
    // The limit of age lies in the past: alarms wait by their own time.
    insert_alarms(own_, alarms, before_);
  }

  bool fail(const open_run& run, std::int32_t alarm_status) {
    const auto open = core::pending_end(own_.texts.tail);
    const auto failed = db_.execute(
      "UPDATE xxl_job_log SET trigger_code = 500, executor_fail_retry_count = 0, alarm_status = ?,"
      " trigger_msg = LEFT(" RINGMASTER_CLOSED_IN_PLACE "?) ELSE CONCAT(COALESCE(trigger_msg, ''), ?) END, 15000)"
      " WHERE id = ? AND trigger_code = 0 AND handle_code = 0",
      alarm_status, open, open, open, core::answered_end(500, abandoned_message, own_.texts.tail), abandoned_message,
      run.id);
    if (failed == 1)
      db_.execute("INSERT IGNORE INTO rm_failed_run (log_id, job, fire_ms) VALUES (?, ?, ?)", run.id, run.job, run.fire_at);
    return failed == 1;
  }

  session& own_;
  connection& db_;
  const core::time_point before_;
  const std::size_t limit_;
  std::vector<open_run> abandoned_;
};

} // namespace

core::result<core::sweep_outcome> firing_role::fail_abandoned(core::time_point before, std::size_t limit) {
  auto progress = sweep_;
  auto failed = own_.db.transact([&] {
    progress = sweep_;
    return sweep{own_, before, limit}.run(progress);
  });
  if (failed)
    sweep_ = progress;
  return failed;
}

} // namespace ringmaster::storage::mysql
