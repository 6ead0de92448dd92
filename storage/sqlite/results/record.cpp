// T3, T4 and T5. Plain successes take one guarded statement; all other runs are read, decided in `record_rules` and written,
// under the same write lock.

#include <algorithm>

#include "core/job/address_list.hpp"
#include "core/run/execution_state.hpp"
#include "core/run/record_rules.hpp"
#include "core/run/trigger_text.hpp"
#include "core/text/text.hpp"
#include "storage/rows/claim_values.hpp"
#include "storage/rules/outdated_callbacks.hpp"
#include "storage/sqlite/firing/alarm_rows.hpp"
#include "storage/sqlite/firing/firing.hpp"
#include "storage/sqlite/runs/run_sql.hpp"

namespace ringmaster::storage::sqlite {

namespace {

constexpr char record_both[] = "UPDATE xxl_job_log SET trigger_code = 200, handle_time = ?2, handle_code = 200, handle_msg = ?3 "
                               "WHERE id = ?1 AND trigger_code = 0 AND handle_code = 0";
constexpr char record_trigger[] = "UPDATE xxl_job_log SET trigger_code = 200 WHERE id = ?1 AND trigger_code = 0";
// Not after a failed trigger, because such a row leaves the list of failed runs.
constexpr char record_callback[] = "UPDATE xxl_job_log SET handle_time = ?2, handle_code = 200, handle_msg = ?3 "
                                   "WHERE id = ?1 AND handle_code = 0 AND trigger_code IN (0, 200)";
// For a run that this node does not remember: excludes a callback of an earlier run with this id.
constexpr char record_dated_callback[] =
  "UPDATE xxl_job_log SET handle_time = ?2, handle_code = 200, handle_msg = ?3 "
  "WHERE id = ?1 AND handle_code = 0 AND trigger_code IN (0, 200) AND trigger_time = ?4";
constexpr char read_run_row[] =
  "SELECT trigger_code, handle_code, alarm_status, executor_fail_retry_count, job_id, executor_param, "
  "executor_sharding_param, trigger_time, job_group, "
  "(SELECT x.keep_logs FROM rm_job_ext x WHERE x.job = job_id) FROM xxl_job_log WHERE id = ?1";
// 15 000 characters are at most 60 000 bytes: they fit the column on every backend.
constexpr char write_run_row[] =
  "UPDATE xxl_job_log SET trigger_code = coalesce(?2, trigger_code), "
  "trigger_msg = CASE ?3 WHEN '' THEN trigger_msg ELSE substr(coalesce(trigger_msg, '') || ?3, 1, 15000) END, "
  "executor_fail_retry_count = CASE ?4 WHEN 1 THEN 0 ELSE executor_fail_retry_count END, "
  "alarm_status = coalesce(?5, alarm_status), "
  "handle_code = coalesce(?6, handle_code), "
  "handle_time = coalesce(?7, iif(handle_code = 0 AND coalesce(?2, trigger_code) NOT IN (0, 200), NULL, handle_time)), "
  "handle_msg = coalesce(?8, handle_msg) "
  "WHERE id = ?1";
constexpr char insert_retry[] =
  "INSERT OR IGNORE INTO rm_intent (kind, job, fire_ms, origin_log_id, shard, shard_total, param, retry_left, created_ms, "
  "addresses) VALUES ('retry', ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
constexpr char find_addresses[] = "SELECT addresses FROM rm_asked_run WHERE log_id = ?1";
// A child that does not exist gets no intent; an existing one starts with its own number of retries.
constexpr char insert_child[] =
  "INSERT OR IGNORE INTO rm_intent (kind, job, fire_ms, origin_log_id, shard, shard_total, retry_left, created_ms) "
  "SELECT 'child', id, 0, ?2, 0, 0, executor_fail_retry_count, ?3 FROM xxl_job_info WHERE id = ?1";
constexpr char read_intent_retries[] = "SELECT retry_left FROM rm_intent WHERE id = ?1";
constexpr char find_job_of_run[] = "SELECT job_group, job_id FROM xxl_job_log WHERE id = ?1";
constexpr char delete_failed[] = "DELETE FROM rm_failed_run WHERE log_id = ?1";
constexpr char find_children[] =
  "SELECT i.id, i.child_jobid, x.keep_logs FROM xxl_job_log l JOIN xxl_job_info i ON i.id = l.job_id "
  "LEFT JOIN rm_job_ext x ON x.job = i.id WHERE l.id = ?1";
constexpr char write_result_text[] = "UPDATE xxl_job_log SET handle_msg = ?2 WHERE id = ?1";
constexpr char insert_log_wish[] =
  "INSERT OR IGNORE INTO rm_kept_log (log_id, job, state, bytes, is_cut, at_ms) VALUES (?1, ?2, 0, 0, 0, ?3)";

/// The values that a retry repeats.
struct first_attempt {
  core::job_id job{};
  std::optional<std::string> param;
  core::shard part;
  core::time_point fire_at{};
};

/// The consequences of a result for the job of its run.
struct ended_job {
  core::job_id id{};
  std::vector<core::job_id> children;
  bool keeps_log = false;
  /// The result's message with the text about the children; empty: it stays unchanged.
  std::optional<std::string> message;
};

class recording {
public:
  recording(session& own, const core::record_batch& batch, core::time_point now)
    : own_{own}, db_{*own.db}, dates_{own.dates}, reader_{own.reader}, batch_{batch}, now_{now} {}

  core::result<core::record_outcome> run() {
    outcome_.fenced = !own_.check_current(batch_.owner);
    for (const auto& updates : core::updates_of(batch_))
      if (!record_success(updates))
        record_with_care(updates);
    // Failures of a fenced owner were dropped: its claims are left to the adopter.
    if (!outcome_.fenced)
      for (auto claim : batch_.resolved_claims)
        db_.run(delete_own_claim, batch_.owner.node, batch_.owner.incarnation, claim);
    return std::move(outcome_);
  }

private:
  /// Handles the common case in one statement. Returns false if its guard failed, or it is not the common case.
  bool record_success(const core::run_update& update) {
    bool trigger = update.trigger && update.trigger->code == core::success_code && update.trigger->message.empty();
    bool callback = update.callback && update.callback->code == core::success_code;
    if ((update.trigger && !trigger) || (update.callback && (!callback || update.callback->only_of)))
      return false;
    const bool dated = callback && update.callback->log_time != core::time_point{};
    if (dated && (trigger || !update.others.empty()))
      return false;
    auto message = callback ? core::cut_utf16(update.callback->message, core::message_units_max) : std::string_view{};
    const auto date = dated ? dates_.of(update.callback->log_time) : std::string{};
    int changed = !callback  ? db_.run(record_trigger, update.id)
                  : dated    ? db_.run(record_dated_callback, update.id, dates_.of(now_), message, date)
                  : !trigger ? db_.run(record_callback, update.id, dates_.of(now_), message)
                             : db_.run(record_both, update.id, dates_.of(now_), message);
    if (changed != 1)
      return false;
    outcome_.triggers_stored += trigger ? 1 : 0;
    outcome_.callbacks_stored += callback ? 1 : 0;
    if (callback) {
      note_success(update);
      succeeded(update, message);
    }
    return true;
  }

  void note_success(const core::run_update& update) {
    core::ended_run end{update.id, {}, {}, core::run_end::succeeded};
    if (const auto& spec = update.callback->spec ? update.callback->spec : update.trigger ? update.trigger->spec : nullptr) {
      end.group = spec->group;
      end.job = spec->id;
    } else if (auto row = db_.prepare(find_job_of_run); row.with(update.id).step()) {
      end.group = row.id<core::group_id>(0);
      end.job = row.id<core::job_id>(1);
    }
    outcome_.ended.push_back(end);
  }

  void record_with_care(core::run_update update) {
    first_attempt first;
    core::run_row row;
    bool keeps_log = false;
    {
      auto reading = db_.prepare(read_run_row);
      if (!reading.with(update.id).step())
        return;
      row = {reading.small(0), reading.small(1), reading.small(2), reading.small(3), reading.id<core::group_id>(8)};
      keeps_log = reading.number(9) == 1;
      first.job = reading.id<core::job_id>(4);
      first.param = reading.optional_text(5);
      first.part = read_sharding(reading.text(6));
      // The hour that a clock change repeats is read as its second pass: no retry may wait for it.
      const std::string triggered{reading.text(7)};
      first.fire_at = std::min(dates_.read(triggered).value_or(now_), now_);
      if (drop_outdated(update, triggered, dates_))
        outcome_.outdated_callbacks.push_back(update.id);
    }
    auto write = core::decide_write(row, update, !outcome_.fenced);
    if (write.callback_foreign)
      outcome_.foreign_callbacks.push_back(update.id);
    if (!write.writes_row())
      return;
    std::optional<std::int32_t> alarm_status;
    if (write.mark_alarm)
      alarm_status = alarms_.status(first.job, write.retry_left.has_value());
    this->write(update.id, write, alarm_status);
    if (alarm_status == core::alarm_status::claimed)
      insert_alarm(db_, first.job, update.id, core::alarm_kind::failure, now_);
    outcome_.triggers_stored += write.trigger_stored ? 1 : 0;
    outcome_.callbacks_stored += write.callback_stored ? 1 : 0;
    if (const auto how = core::end_of(write))
      outcome_.ended.push_back({update.id, row.group, first.job, *how});
    if (write.failed)
      db_.run(insert_failed_run, update.id, first.job, first.fire_at);
    if (write.not_failed)
      db_.run(delete_failed, update.id);
    if (write.retry_left)
      start_retry(update.id, first, *write.retry_left);
    if (write.children)
      start_children(update, ended_job_of(update, write.handle_message));
    if (keeps_log && write.handle_code)
      db_.run(insert_log_wish, update.id, first.job, now_);
  }

  void write(core::log_id id, const core::run_write& write, std::optional<std::int32_t> alarm_status) {
    std::optional<std::string_view> handle_time;
    std::optional<std::string_view> handle_message;
    if (write.handle_code) {
      handle_time = dates_.of(now_);
      handle_message = write.handle_message;
    }
    db_.run(write_run_row, id, write.trigger_code, write.trigger_message, write.clear_retries, alarm_status, write.handle_code,
            handle_time, handle_message);
  }

  void start_retry(core::log_id origin, const first_attempt& first, std::int32_t retry_left) {
    const auto& part = first.part;
    std::optional<std::string> addresses;
    if (auto asked = db_.prepare(find_addresses); asked.with(origin).step())
      addresses = asked.optional_text(0);
    if (db_.run(insert_retry, first.job, first.fire_at, origin, part.index, part.broadcast ? part.total : 0, first.param,
                retry_left, now_, addresses) == 1)
      outcome_.intents.push_back({core::intent_id{db_.last_id()}, core::trigger_kind::retry, first.job, first.fire_at, origin,
                                  part, first.param, retry_left, core::split_addresses(addresses.value_or(""))});
  }

  /// Handles the common case: the job in memory determines the consequences of the result.
  void succeeded(const core::run_update& update, std::string_view message) {
    const auto job = ended_job_of(update, message);
    if (job.keeps_log)
      db_.run(insert_log_wish, update.id, job.id, now_);
    start_children(update, job);
  }

  void start_children(const core::run_update& update, const ended_job& parent) {
    if (parent.message)
      db_.run(write_result_text, update.id, *parent.message);
    for (auto child : parent.children) {
      if (db_.run(insert_child, child, update.id, now_) != 1)
        continue;
      core::intent intent{core::intent_id{db_.last_id()}, core::trigger_kind::parent, child, {}, update.id, {}, std::nullopt, 0};
      auto retries = db_.prepare(read_intent_retries);
      if (retries.with(intent.id).step())
        intent.retry_left = retries.small(0);
      outcome_.intents.push_back(std::move(intent));
    }
  }

  ended_job ended_job_of(const core::run_update& update, std::string_view message) {
    const auto& spec = update.callback->spec ? update.callback->spec : update.trigger ? update.trigger->spec : nullptr;
    if (spec && spec->child_jobs.empty())
      return {spec->id, {}, spec->keep_logs, std::nullopt};
    if (spec)
      return ended_job_of(*spec, spec->keep_logs, message);
    auto reading = db_.prepare(find_children);
    if (!reading.with(update.id).step())
      return {};
    core::job parent;
    parent.id = reading.id<core::job_id>(0);
    parent.child_jobs = reading.text(1);
    return ended_job_of(parent, reading.number(2) == 1, message);
  }

  ended_job ended_job_of(const core::job& parent, bool keeps_log, std::string_view message) const {
    return {parent.id, core::child_ids(parent), keeps_log,
            core::result_with_children(message, parent, reader_, core::trigger_tail::remark)};
  }

  session& own_;
  connection& db_;
  datetime_text& dates_;
  core::language reader_;
  const core::record_batch& batch_;
  core::time_point now_;
  alarm_reading alarms_{db_};
  core::record_outcome outcome_;
};

} // namespace

core::result<core::record_outcome> firing_role::record(const core::record_batch& batch, core::time_point now) {
  return within(*own_.db, transaction_kind::write, [&](connection&) { return recording{own_, batch, now}.run(); });
}

} // namespace ringmaster::storage::sqlite
