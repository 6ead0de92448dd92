// Runs without a claim, and intents that were taken long ago.

#include <unordered_set>

#include "storage/rows/claim_items.hpp"
#include "storage/sqlite/firing/alarm_rows.hpp"
#include "storage/sqlite/firing/firing.hpp"
#include "storage/sqlite/maintenance/log_maintenance.hpp"
#include "storage/sqlite/runs/run_sql.hpp"

namespace ringmaster::storage::sqlite {

namespace {

// Ids only: the log has no index on its codes, so the sweep follows the primary key, from where it stopped, a bounded stretch per
// call.
constexpr char list_open_runs[] = "SELECT id, trigger_time <= ?3, job_id, trigger_time FROM xxl_job_log "
                                  "WHERE id > ?1 AND id <= ?2 AND trigger_code = 0 AND handle_code = 0 ORDER BY id";
constexpr char last_run[] = "SELECT coalesce(max(id), 0) FROM xxl_job_log";
constexpr char fail_run[] =
  "UPDATE xxl_job_log SET trigger_code = 500, executor_fail_retry_count = 0, alarm_status = ?3, "
  "trigger_msg = substr(coalesce(trigger_msg, '') || ?2, 1, 15000) WHERE id = ?1 AND trigger_code = 0 AND handle_code = 0";
constexpr char next_run[] = "SELECT id FROM xxl_job_log WHERE id > ?1 ORDER BY id LIMIT 1";
constexpr char find_taken[] = "SELECT id FROM rm_intent WHERE state = 1 AND created_ms <= ?1 ORDER BY created_ms LIMIT ?2";
constexpr char forget_taken[] = "DELETE FROM rm_intent WHERE id = ?1";
// Forgets which runs the intent has, except those that may still be retried with the requested addresses. The user who asked
// for a run stays with it.
constexpr char forget_asked[] =
  "UPDATE rm_asked_run SET intent = 0, addresses = NULL WHERE intent = ?1 "
  "AND (addresses IS NULL OR NOT EXISTS (SELECT 1 FROM xxl_job_log l "
  "WHERE l.id = log_id AND l.handle_code = 0 AND l.trigger_code IN (0, 200)))";

constexpr std::int64_t ids_per_sweep = 20'000;
constexpr std::string_view abandoned_message = "abandoned: no node holds this run";

struct open_run {
  core::log_id id{};
  core::job_id job{};
  core::time_point fire_at{};
};

std::unordered_set<std::int64_t> held_runs(connection& db) {
  std::unordered_set<std::int64_t> held;
  auto listing = db.prepare(list_open_claims);
  listing.with();
  while (listing.step())
    if (auto items = unpack(listing.id<core::log_id>(0), listing.text(1)))
      for (const auto& item : *items)
        held.insert(core::number(item.id));
  return held;
}

/// The result of reading one stretch of the log.
struct stretch {
  std::vector<open_run> abandoned;
  /// Every run up to this one is resolved once the abandoned ones are failed.
  core::log_id swept{};
  bool more = false;
};

/// Returns the first row after `swept`. It may be far away: a cleared log continues with its old numbers.
std::int64_t row_behind(connection& db, core::log_id swept) {
  auto next = db.prepare(next_run);
  return next.with(swept).step() ? next.number(0) : core::number(swept) + 1;
}

stretch look(connection& db, session& own, core::log_id swept, core::time_point before, std::size_t limit) {
  stretch found;
  found.swept = swept;
  auto newest = db.prepare(last_run);
  newest.with().step();
  auto last = std::min(newest.number(0), row_behind(db, swept) - 1 + ids_per_sweep);
  auto held = held_runs(db);
  bool all_resolved = true;
  auto before_text = own.dates.of(before);
  auto listing = db.prepare(list_open_runs);
  listing.with(swept, last, before_text);
  while (found.abandoned.size() < limit && listing.step()) {
    core::log_id id = listing.id<core::log_id>(0);
    // The sweep may pass a row only once it is resolved; a row that it fails now is resolved.
    if (listing.number(1) == 0 || held.contains(core::number(id)))
      all_resolved = false;
    else
      found.abandoned.push_back({id, listing.id<core::job_id>(2), own.dates.read(listing.text(3)).value_or(before)});
    if (all_resolved)
      found.swept = id;
  }
  auto limited = found.abandoned.size() == limit;
  if (all_resolved && !limited)
    found.swept = std::max(core::log_id{last}, swept);
  found.more = limited || (all_resolved && last < newest.number(0));
  return found;
}

/// Fails the runs and returns how many of them were still open.
std::size_t fail(connection& db, const std::vector<open_run>& abandoned, core::time_point before) {
  std::size_t failed = 0;
  alarm_reading alarms{db};
  for (const auto& run : abandoned) {
    if (db.run(fail_run, run.id, abandoned_message, alarms.status(run.job, false)) == 0)
      continue;
    if (alarms.needs(run.job, false))
      insert_alarm(db, run.job, run.id, core::alarm_kind::failure, before);
    db.run(insert_failed_run, run.id, run.job, run.fire_at);
    ++failed;
  }
  return failed;
}

} // namespace

// Reads without the lock on the one writer, which is taken only for actual work. A run without a claim stays without one: claims
// are written with their rows and only change owners.
core::result<core::sweep_outcome> firing_role::fail_abandoned(core::time_point before, std::size_t limit) {
  auto swept = swept_;
  auto found = within(*own_.db, transaction_kind::read, [&](connection& db) -> core::result<stretch> {
    if (!swept)
      swept = last_before(own_, before - abandoned_age_max);
    return look(db, own_, *swept, before, limit);
  });
  if (!found)
    return tl::unexpected{std::move(found.error())};
  core::sweep_outcome outcome{0, found->more};
  if (!found->abandoned.empty()) {
    auto done = within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<core::sweep_outcome> {
      return core::sweep_outcome{fail(db, found->abandoned, before), found->more};
    });
    if (!done)
      return done;
    outcome = *done;
  }
  swept_ = found->swept;
  return outcome;
}

core::result<std::size_t> maintenance_role::forget_taken_intents(core::time_point before, std::size_t limit) {
  std::vector<core::intent_id> old;
  auto found = within(*own_.db, transaction_kind::read, [&](connection& db) -> core::result<std::size_t> {
    old.clear();
    auto listing = db.prepare(find_taken);
    listing.with(before, limit);
    while (listing.step())
      old.push_back(listing.id<core::intent_id>(0));
    return old.size();
  });
  if (!found || *found == 0)
    return found;
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<std::size_t> {
    for (const auto id : old) {
      db.run(forget_asked, id);
      db.run(forget_taken, id);
    }
    return old.size();
  });
}

} // namespace ringmaster::storage::sqlite
