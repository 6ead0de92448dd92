#include <unordered_set>
#include <utility>

#include "storage/mysql/driver/batches.hpp"
#include "storage/mysql/firing/alarm_rows.hpp"
#include "storage/mysql/firing/firing.hpp"
#include "storage/mysql/firing/intents.hpp"
#include "storage/mysql/firing/row_texts.hpp"
#include "storage/mysql/maintenance/log_maintenance.hpp"
#include "storage/rows/claim_items.hpp"

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

/// Forgets which runs these intents have, except those that may still be retried with the requested addresses. The user who asked
/// for a run stays with it.
void forget_asked_runs(connection& db, const std::vector<core::intent_id>& intents) {
  std::vector<core::log_id> runs;
  for (const auto part : padded_chunks(intents.size())) {
    auto& some = db.prepare("SELECT a.log_id FROM rm_asked_run a FORCE INDEX (rm_asked_run_intent)"
                            " LEFT JOIN xxl_job_log l ON l.id = a.log_id WHERE a.intent IN ({?,}) AND (a.addresses IS NULL"
                            " OR l.id IS NULL OR l.handle_code <> 0 OR l.trigger_code NOT IN (0, 200))",
                            part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(intents[part.at(i)]);
    for (auto found = some.select(); found.next();)
      runs.push_back(found.id<core::log_id>(0));
  }
  for (const auto part : padded_chunks(runs.size())) {
    auto& some = db.prepare("UPDATE rm_asked_run SET intent = 0, addresses = NULL WHERE log_id IN ({?,})", part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(runs[part.at(i)]);
    some.run();
  }
}

/// One stretch of the log, read along the primary key because no other index covers codes and times.
class sweep {
public:
  sweep(session& own, core::time_point before, std::size_t limit) : own_{own}, db_{own.db}, before_{before}, limit_{limit} {}

  core::result<core::sweep_outcome> run(sweep_progress& progress) {
    const auto more = collect(progress);
    fail_all();
    return core::sweep_outcome{abandoned_.size(), more};
  }

private:
  /// Returns true when there is more to check now.
  bool collect(sweep_progress& progress) {
    const auto newest = newest_run();
    settle(progress, newest);
    if (!std::exchange(progress.started, true))
      progress.swept = last_before(own_, before_ - abandoned_age_max);
    const auto last = std::min(core::number(newest), core::number(row_behind(progress.swept)) - 1 + ids_per_sweep);
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

  /// Returns the first row after `swept`. It may be far away: a cleared log continues with its old numbers.
  core::log_id row_behind(core::log_id swept) {
    auto row = db_.query("SELECT id FROM xxl_job_log FORCE INDEX (PRIMARY) WHERE id > ? ORDER BY id LIMIT 1", swept);
    return row.next() ? row.id<core::log_id>(0) : core::log_id{core::number(swept) + 1};
  }

  core::log_id newest_run() {
    auto row = db_.query("SELECT COALESCE(MAX(id), 0) FROM xxl_job_log");
    return row.next() ? row.id<core::log_id>(0) : core::log_id{};
  }

  /// Marks runs as settled. An open transaction may own ids below the newest one seen; a minute later it has ended.
  void settle(sweep_progress& progress, core::log_id newest) const {
    if (before_ < progress.seen_at + std::chrono::minutes{1})
      return;
    progress.settled = progress.seen;
    progress.seen = newest;
    progress.seen_at = before_;
  }

  /// Fails all runs, without retries and with their alarms (T5).
  void fail_all() {
    std::vector<core::job_id> jobs;
    for (const auto& run : abandoned_)
      jobs.push_back(run.job);
    const auto book = read_alarm_book(own_, jobs);
    std::vector<new_alarm> alarms;
    for (const auto& run : abandoned_)
      if (fail(run, book.status(run.job, false)) && book.needs(run.job, false))
        alarms.push_back({run.job, run.id, core::alarm_kind::failure});
    // Alarms wait by their own time, because the age limit is in the past.
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

core::result<std::size_t> maintenance_role::forget_taken_intents(core::time_point before, std::size_t limit) {
  return own_.db.transact([&]() -> core::result<std::size_t> {
    auto& db = own_.db;
    // Found first and deleted by their ids: no other transaction locks a row that was taken long ago.
    std::vector<core::intent_id> old;
    auto found = db.query("SELECT id FROM rm_intent FORCE INDEX (rm_intent_state) WHERE state = 1 AND created_ms <= ?"
                          " ORDER BY created_ms LIMIT ?", before, limit);
    while (found.next())
      old.push_back(found.id<core::intent_id>(0));
    forget_asked_runs(db, old);
    return delete_intents(db, old);
  });
}

} // namespace ringmaster::storage::mysql
