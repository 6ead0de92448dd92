#include <algorithm>
#include <set>

#include "core/job/address_list.hpp"
#include "storage/mysql/driver/batches.hpp"
#include "storage/mysql/firing/firing.hpp"
#include "storage/mysql/firing/intents.hpp"
#include "storage/mysql/results/held_rows.hpp"
#include "storage/mysql/results/success_batch.hpp"
#include "storage/rules/outdated_callbacks.hpp"

namespace ringmaster::storage::mysql {

namespace {

/// T3, T4 and T5. Groups of plain successes take one guarded statement each. Where fewer rows changed than it names, everything
/// is rolled back and that group takes the long path with the failures: read under locks, `core::decide_write`, write the
/// winners.
class recording {
public:
  recording(session& own, const core::record_batch& batch, core::time_point now)
    : own_{own},
      db_{own.db},
      batch_{batch},
      now_{now},
      now_text_{own.dates.of(now)},
      news_{core::updates_of(batch)},
      sorted_{sort_out(news_)} {}

  /// Records the batch. Fails if a row stays locked for the whole wait; `waits` then says that it should be repeated with
  /// waiting.
  core::result<core::record_outcome> run(bool& waits) {
    try {
      return run_to_end();
    } catch (const driver_error& failure) {
      waits = waits || failure.lock_held();
      throw;
    }
  }

private:
  core::result<core::record_outcome> run_to_end() {
    while (!try_once())
      db_.start_over();
    note_strangers();
    auto follows = consequences_of(own_, parents_);
    auto& requested = follows.children;
    insert_log_requests(db_, follows.logs, now_);
    write_results(own_, follows.told);
    std::move(retries_.begin(), retries_.end(), std::back_inserter(requested));
    std::stable_sort(requested.begin(), requested.end(), [](const auto& a, const auto& b) { return a.origin < b.origin; });
    outcome_.intents = insert_intents(own_, std::move(requested), now_);
    // Failures of a fenced owner were dropped: its claims are left to the adopter.
    if (!outcome_.fenced)
      delete_claims();
    return std::move(outcome_);
  }

  /// Returns false if a group lost a row, or another transaction holds one. Nothing of this attempt may then be kept, and the
  /// next one takes the long path for that group.
  bool try_once() {
    outcome_ = {};
    parents_.clear();
    retries_.clear();
    strangers_.clear();
    outcome_.fenced = !is_current();
    auto careful = sorted_.others;
    for (std::size_t i = 0; i < sorted_.plain.size(); ++i) {
      const auto& group = sorted_.plain[i];
      if (lost_.contains(i)) {
        careful.insert(careful.end(), group.runs.begin(), group.runs.end());
      } else if (wrote(group)) {
        count(group);
      } else {
        lost_.insert(i);
        return false;
      }
    }
    std::sort(careful.begin(), careful.end(), [](const auto* a, const auto* b) { return a->id < b->id; });
    record_with_care(careful);
    return true;
  }

  bool wrote(const plain_group& group) {
    try {
      return write(own_, group, now_text_, batch_.shared) == group.runs.size();
    } catch (const driver_error& failure) {
      if (!failure.lock_held() || !db_.skills().skip)
        throw;
      return false;
    }
  }

  /// Returns whether the owner is current. A failure of a fenced owner must not count, so with failures the node's row stays
  /// locked until the commit.
  bool is_current() {
    const auto fails = [](const core::trigger_result& trigger) { return trigger.code != 200; };
    if (std::any_of(batch_.triggers.begin(), batch_.triggers.end(), fails))
      return own_.check_current(batch_.owner).has_value();
    return db_
      .query("SELECT 1 FROM rm_node WHERE id = ? AND incarnation = ? AND state = 'up'", batch_.owner.node,
             batch_.owner.incarnation)
      .next();
  }

  void count(const plain_group& group) {
    if (group.kind == success_kind::both || group.kind == success_kind::trigger)
      outcome_.triggers_stored += group.runs.size();
    if (group.kind == success_kind::trigger)
      return;
    outcome_.callbacks_stored += group.runs.size();
    for (const auto* updates : group.runs) {
      note_success(*updates);
      succeeded(*updates, updates->callback->message);
    }
  }

  void note_success(const core::run_update& update) {
    const auto& spec = update.callback->spec ? update.callback->spec : update.trigger ? update.trigger->spec : nullptr;
    if (spec)
      outcome_.ended.push_back({update.id, spec->group, spec->id, core::run_end::succeeded});
    else
      strangers_.push_back(update.id);
  }

  /// Notes successes of runs that this node does not have in memory.
  void note_strangers() {
    const auto ids = sorted(std::span<const core::log_id>{strangers_});
    for (const auto part : padded_chunks(ids.size())) {
      auto& some =
        db_.prepare("SELECT id, job_group, job_id FROM xxl_job_log FORCE INDEX (PRIMARY) WHERE id IN ({?,})", part.rows);
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(ids[part.at(i)]);
      for (auto found = some.select(); found.next();)
        outcome_.ended.push_back(
          {found.id<core::log_id>(0), found.id<core::group_id>(1), found.id<core::job_id>(2), core::run_end::succeeded});
    }
  }

  void succeeded(const core::run_update& update, std::string_view message) {
    const auto& spec = update.callback->spec ? update.callback->spec : update.trigger ? update.trigger->spec : nullptr;
    if (!spec || !spec->child_jobs.empty() || spec->keep_logs)
      parents_.push_back({update.id, spec, true, message});
  }

  void failed(const core::run_update& update) {
    const auto& spec = update.callback->spec ? update.callback->spec : update.trigger ? update.trigger->spec : nullptr;
    if (!spec || spec->keep_logs)
      parents_.push_back({update.id, spec, false, {}});
  }

  void record_with_care(const std::vector<const core::run_update*>& careful) {
    db_.allow_waiting();
    auto rows = lock_rows(own_, careful, now_);
    note_locked(careful, rows);
    for (auto& held : rows) {
      auto updates = *held.update;
      if (drop_outdated(updates, held.triggered, own_.dates))
        outcome_.outdated_callbacks.push_back(updates.id);
      held.write = core::decide_write(held.row, updates, !outcome_.fenced);
      if (held.write.callback_foreign)
        outcome_.foreign_callbacks.push_back(held.update->id);
    }
    std::erase_if(rows, [](const held_row& held) { return !held.write.writes_row(); });
    decide_alarms(own_, rows);
    write(own_, rows, now_text_, batch_.shared, now_);
    for (auto& held : rows) {
      outcome_.triggers_stored += held.write.trigger_stored ? 1 : 0;
      outcome_.callbacks_stored += held.write.callback_stored ? 1 : 0;
      if (const auto how = core::end_of(held.write))
        outcome_.ended.push_back({held.update->id, held.row.group, held.job, *how});
      if (held.write.children)
        succeeded(*held.update, held.write.handle_message);
      else if (held.write.handle_code)
        failed(*held.update);
      if (held.write.retry_left)
        retries_.push_back({{},
                            core::trigger_kind::retry,
                            held.job,
                            held.fire_at,
                            held.update->id,
                            held.part,
                            std::move(held.param),
                            *held.write.retry_left,
                            addresses_asked_for(held.update->id)});
    }
  }

  /// Notes rows that exist and were left out of `held`, because another transaction has locked them.
  void note_locked(const std::vector<const core::run_update*>& wanted, const std::vector<held_row>& held) {
    if (held.size() == wanted.size() || !db_.skills().skip)
      return;
    std::set<core::log_id> missing;
    for (const auto* update : wanted)
      missing.insert(update->id);
    for (const auto& row : held)
      missing.erase(row.update->id);
    const std::vector<core::log_id> ids{missing.begin(), missing.end()};
    for (const auto part : padded_chunks(ids.size())) {
      auto& some = db_.prepare("SELECT id FROM xxl_job_log FORCE INDEX (PRIMARY) WHERE id IN ({?,})", part.rows);
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(ids[part.at(i)]);
      for (auto found = some.select(); found.next();)
        outcome_.locked_runs.push_back(found.id<core::log_id>(0));
    }
  }

  /// Returns the addresses requested for the first attempt, which a retry uses, too.
  std::vector<std::string> addresses_asked_for(core::log_id run) {
    auto asked = db_.query("SELECT addresses FROM rm_asked_run WHERE log_id = ?", run);
    return asked.next() ? core::split_addresses(asked.text(0)) : std::vector<std::string>{};
  }

  void delete_claims() {
    const auto claims = sorted(std::span<const std::int64_t>{batch_.resolved_claims});
    for (const auto part : padded_chunks(claims.size())) {
      auto& some = db_.prepare("DELETE FROM rm_claim WHERE node = ? AND incarnation = ? AND seq IN ({?,})", part.rows);
      some.add(batch_.owner.node).add(batch_.owner.incarnation);
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(claims[part.at(i)]);
      some.run();
    }
  }

  session& own_;
  connection& db_;
  const core::record_batch& batch_;
  const core::time_point now_;
  const std::string now_text_;
  const std::vector<core::run_update> news_;
  const sorted_updates sorted_;
  std::set<std::size_t> lost_;
  core::record_outcome outcome_;
  std::vector<finished_parent> parents_;
  std::vector<core::intent> retries_;
  std::vector<core::log_id> strangers_;
};

} // namespace

core::result<core::record_outcome> firing_role::record(const core::record_batch& batch, core::time_point now) {
  // First without waiting, so that a locked row delays no other; a second attempt waits if rows other than those of the runs are
  // locked.
  bool waits = false;
  const auto body = [&] { return recording{own_, batch, now}.run(waits); };
  auto out = own_.db.transact_without_waiting(body);
  return !out && waits ? own_.db.transact(body) : std::move(out);
}

} // namespace ringmaster::storage::mysql
