// T1 and T2: next times, log rows, one claim row and taken intents in one transaction.

#include <unordered_map>
#include <unordered_set>

#include "core/job/address_list.hpp"
#include "core/rules/job_edit_rules.hpp"
#include "core/run/claim_rules.hpp"
#include "core/run/execution_state.hpp"
#include "storage/rows/claim_items.hpp"
#include "storage/rows/claim_values.hpp"
#include "storage/sqlite/firing/alarm_rows.hpp"
#include "storage/sqlite/firing/firing.hpp"
#include "storage/sqlite/runs/run_sql.hpp"

namespace ringmaster::storage::sqlite {

namespace {

constexpr char find_unresolved[] = "SELECT 1 FROM xxl_job_log WHERE id = ?1 AND trigger_code = 0";
// The single-row form with its guard is the compare-and-set: the number of changed rows shows the winner.
constexpr char move_schedule[] =
  "UPDATE rm_schedule SET last_ms = ?1, next_ms = ?2 WHERE job = ?3 AND next_ms = ?4 AND revision <= ?5";
// `sent_ms` keeps the last sent instant, as long as the last instant was missed.
constexpr char move_behind_missed[] =
  "UPDATE rm_schedule SET sent_ms = CASE WHEN last_ms = missed_ms THEN sent_ms ELSE last_ms END, missed_ms = ?1, last_ms = ?1, "
  "next_ms = ?2 WHERE job = ?3 AND next_ms = ?4 AND revision <= ?5";
constexpr char insert_missed[] =
  "INSERT INTO xxl_job_log (job_group, job_id, executor_handler, executor_param, executor_fail_retry_count, trigger_time, "
  "trigger_code, trigger_msg, handle_code, handle_msg, alarm_status) VALUES (?1, ?2, ?3, ?4, 0, ?5, ?6, ?7, 0, '', ?8)";
constexpr char stop_job[] =
  "UPDATE xxl_job_info SET trigger_status = 0, trigger_last_time = 0, trigger_next_time = 0 WHERE id = ?1";
constexpr char take_intent[] = "UPDATE rm_intent SET state = 1, node = ?2, incarnation = ?3 WHERE id = ?1 AND state = 0";
constexpr char put_back_intent[] = "UPDATE rm_intent SET state = 0, node = NULL, incarnation = NULL WHERE id = ?1";
constexpr char drop_intent[] = "DELETE FROM rm_intent WHERE id = ?1";
constexpr char insert_log[] =
  "INSERT INTO xxl_job_log (job_group, job_id, executor_address, executor_handler, executor_param, executor_sharding_param, "
  "executor_fail_retry_count, trigger_time, trigger_code, trigger_msg, handle_time, handle_code, handle_msg, alarm_status) "
  "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0, ?9, ?8, 0, '', 0)";
constexpr char insert_claim[] =
  "INSERT INTO rm_claim (node, incarnation, seq, maybe_sent, first_log_id, items) VALUES (?1, ?2, ?3, 0, ?4, ?5)";

constexpr char insert_asked[] = "INSERT INTO rm_asked_run (log_id, intent, addresses, user_name) "
                                "SELECT ?1, ?2, ?3, user_name FROM rm_intent WHERE id = ?2";

class claiming {
public:
  claiming(session& own, const core::claim_batch& batch, core::time_point now)
    : own_{own}, db_{*own.db}, dates_{own.dates}, batch_{batch}, now_{now} {
    outcome_.sequence = batch.sequence;
  }

  core::result<core::claim_outcome> run() {
    const auto& owner = batch_.owner;
    if (auto current = own_.check_current(owner); !current)
      return tl::unexpected{current.error()};
    auto committed = db_.prepare(find_own_claim);
    if (committed.with(owner.node, owner.incarnation, batch_.sequence).step())
      return repeat(committed);
    move_schedules();
    take_intents();
    insert_runs();
    return std::move(outcome_);
  }

private:
  /// Returns what an earlier call, whose answer was lost, kept and is still to be sent.
  core::result<core::claim_outcome> repeat(statement& committed) {
    auto sequence = std::to_string(batch_.sequence);
    if (committed.number(0) != 0)
      return core::fail(core::errc::internal, "claim " + sequence + " is adopted: its number was used twice");
    auto items = unpack(committed.id<core::log_id>(1), committed.text(2));
    if (!items)
      return tl::unexpected{items.error()};
    outcome_.repeated = true;
    auto unresolved = db_.prepare(find_unresolved);
    for (const auto& item : *items) {
      if (item.position >= batch_.runs.size() || batch_.runs[item.position].spec->id != item.job)
        return core::fail(core::errc::internal, "claim " + sequence + " was repeated with other runs");
      if (unresolved.with(item.id).step())
        outcome_.runs.push_back(
          {item.id, batch_.sequence, batch_.runs[item.position], item.attempt, batch_.owner.incarnation, {}});
    }
    if (outcome_.runs.empty())
      db_.run(delete_own_claim, batch_.owner.node, batch_.owner.incarnation, batch_.sequence);
    return std::move(outcome_);
  }

  void move_schedules() {
    auto sending = db_.prepare(move_schedule);
    auto dropping = db_.prepare(move_behind_missed);
    for (const auto& move : batch_.moves) {
      auto next_ms = move.next ? core::to_ms(*move.next) : 0;
      auto& moving = move.missed ? dropping : sending;
      // 0 means "not scheduled", which no planner can have seen as a due time.
      bool won = core::to_ms(move.expected_next) > 0 &&
                 moving.run(move.last, next_ms, move.job, move.expected_next, batch_.seen_revision) == 1;
      if (!won) {
        outcome_.lost_races.push_back(move.job);
        continue;
      }
      won_jobs_.insert(core::number(move.job));
      if (!move.next)
        db_.run(stop_job, move.job);
      if (move.missed)
        insert_row_of(*move.missed);
    }
  }

  /// Inserts a row that counts as a failed trigger: its consequences are decided with it, but it is never retried.
  void insert_row_of(const core::missed_gap& gap) {
    const auto& job = *gap.spec;
    const auto values = log_values_of(gap, batch_.node_host);
    const auto status = alarms_.status(job.id, false, core::alarm_reason::missed);
    db_.run(insert_missed, job.group, job.id, values.handler, values.param, dates_.of(now_), core::failure_code, values.message,
            status);
    const core::log_id id{db_.last_id()};
    db_.run(insert_failed_run, id, job.id, gap.what.first);
    if (status == core::alarm_status::claimed)
      insert_alarm(db_, job.id, id, core::alarm_kind::failure, now_);
    outcome_.missed.push_back({id, job.id, job.group, gap.what});
  }

  void take_intents() {
    for (const auto& run : batch_.runs) {
      if (!run.intent || intents_.contains(core::number(*run.intent)))
        continue;
      const bool goes_on = take(*run.intent, *run.spec);
      intents_.emplace(core::number(*run.intent), goes_on);
    }
  }

  /// Returns whether the intent is taken; otherwise it is in the list for the reason.
  bool take(core::intent_id intent, const core::job& planned) {
    if (db_.run(take_intent, intent, batch_.owner.node, batch_.owner.incarnation) != 1) {
      outcome_.lost_intents.push_back(intent);
      return false;
    }
    const auto job = find_job(own_, planned.id);
    if (!job) {
      // Deletes the intents of a removed job: its retries and children (firing protocol §7.5).
      db_.run(drop_intent, intent);
      outcome_.lost_intents.push_back(intent);
      return false;
    }
    if (core::runs_alike(*job->spec, planned))
      return true;
    db_.run(put_back_intent, intent);
    outcome_.stale_intents.push_back(intent);
    return false;
  }

  [[nodiscard]] bool kept(const core::planned_run& run) const {
    return run.intent ? intents_.at(core::number(*run.intent)) : won_jobs_.contains(core::number(run.spec->id));
  }

  void insert_runs() {
    std::vector<claim_item> items;
    items.reserve(batch_.runs.size());
    outcome_.runs.reserve(batch_.runs.size());
    auto inserting = db_.prepare(insert_log);
    for (std::size_t i = 0; i < batch_.runs.size(); ++i) {
      const auto& run = batch_.runs[i];
      if (!kept(run))
        continue;
      auto values = log_values_of(run, batch_.node_host);
      inserting.run(run.spec->group, run.spec->id, values.address, values.handler, values.param, values.sharding, run.retry_left,
                    dates_.of(run.fire_at), values.message);
      core::log_id id{db_.last_id()};
      if (core::is_asked_for(run))
        db_.run(insert_asked, id, *run.intent, core::join_addresses(run.addresses));
      items.push_back({id, run.spec->id, run.fire_at, run.part, 0, static_cast<std::uint32_t>(i)});
      outcome_.runs.push_back({id, batch_.sequence, run, 0, batch_.owner.incarnation, {}});
    }
    if (items.empty())
      return;
    auto packed = pack(items.front().id, items);
    db_.run(insert_claim, batch_.owner.node, batch_.owner.incarnation, batch_.sequence, items.front().id, blob{packed});
  }

  session& own_;
  connection& db_;
  datetime_text& dates_;
  const core::claim_batch& batch_;
  const core::time_point now_;
  alarm_reading alarms_{db_};
  core::claim_outcome outcome_;
  std::unordered_set<std::int32_t> won_jobs_;
  std::unordered_map<std::int64_t, bool> intents_;
};

} // namespace

core::result<core::claim_outcome> firing_role::claim(const core::claim_batch& batch, core::time_point now) {
  if (auto sound = core::check(batch); !sound)
    return tl::unexpected{sound.error()};
  return within(*own_.db, transaction_kind::write, [&](connection&) { return claiming{own_, batch, now}.run(); });
}

} // namespace ringmaster::storage::sqlite
