#include "tests/simulation/played_schedule.hpp"

#include <algorithm>
#include <utility>

#include "storage/rows/claim_values.hpp"
#include "tests/support/memory_database.hpp"

namespace ringmaster::simulation {

namespace {

constexpr char insert_intent[] =
  "INSERT OR IGNORE INTO rm_intent (kind, job, fire_ms, origin_log_id, shard, shard_total, retry_left, node, incarnation,"
  " created_ms, schedule) VALUES (?1, ?2, ?3, 0, 0, 0, 0, ?4, ?5, ?3, ?6)";
constexpr char reserve_again[] = "UPDATE rm_intent SET schedule = ?4 WHERE job = ?1 AND kind = ?2 AND fire_ms = ?3"
                                 " AND origin_log_id = 0 AND shard = 0 AND state = 0";
constexpr char find_intent[] = "SELECT kind, job, fire_ms, schedule FROM rm_intent WHERE id = ?1 AND state = 0";

core::error over(const core::node_incarnation& life) {
  return {core::errc::fenced, "incarnation " + life.node + '/' + std::to_string(life.incarnation) + " has ended"};
}

} // namespace

played_schedule::played_schedule(storage::sqlite::connection& tables, schedule_surroundings seen)
  : shared_schedule{std::move(seen)}, db_{tables}, table_{tables} {}

bool played_schedule::is_current(const core::node_incarnation& life) {
  auto reading = db_.prepare("SELECT 1 FROM rm_node WHERE id = ?1 AND incarnation = ?2 AND state = 'up'");
  return reading.with(life.node, life.incarnation).step();
}

// -- T1s -------------------------------------------------------------------------------------------------------------------

core::result<core::reserve_outcome> played_schedule::reserve(const core::node_incarnation& owner,
                                                             const core::reserve_window& window) {
  if (!is_current(owner) || mode_ != core::cluster_mode::shared)
    return tl::unexpected{over(owner)};
  core::reserve_outcome out;
  auto due = this->due(window);
  std::erase_if(due, [&](const xxl_row& row) {
    return db_.prepare("SELECT 1 FROM rm_intent WHERE job = ?1 AND state = 0 AND created_ms <= ?2"
                       " AND kind IN ('cron', 'misfire')")
      .with(row.id, window.now - window.backlog_after)
      .step();
  });
  std::stable_sort(due.begin(), due.end(), [](const auto& a, const auto& b) { return a.next < b.next; });
  if (due.size() >= window.jobs_max) {
    due.resize(window.jobs_max);
    out.more = true;
  }
  for (const auto& row : due)
    reserve(row, owner, window, out);
  std::stable_sort(out.intents.begin(), out.intents.end(),
                   [](const auto& a, const auto& b) { return std::tie(a.fire_at, a.job) < std::tie(b.fire_at, b.job); });
  return out;
}

// A console that read the row while times were hidden has written the hidden time back: the true one is lost, and counts as
// missed.
std::vector<xxl_row> played_schedule::due(const core::reserve_window& window) {
  auto all = table_.rows();
  for (auto& row : all)
    if (row.next == far_future)
      row.next = window.now - window.misfire_after - core::milliseconds{1};
  std::erase_if(all, [&](const xxl_row& row) { return !row.running || row.next > window.now + window.horizon; });
  return all;
}

void played_schedule::reserve(const xxl_row& row, const core::node_incarnation& owner, const core::reserve_window& window,
                              core::reserve_outcome& out) {
  auto spec = std::make_shared<core::job>();
  spec->id = row.id;
  spec->misfire = row.misfire;
  const auto plan = core::plan({std::move(spec), row.next}, rule_of(row),
                               {.now = window.now, .horizon = window.horizon, .misfire_after = window.misfire_after});
  auto moved = row;
  moved.running = plan.next.has_value();
  moved.last = plan.firings.empty() && !plan.next ? core::time_point{} : plan.last;
  moved.next = plan.next.value_or(core::time_point{});
  table_.write(moved, xxl_columns::times_and_status);
  for (const auto& firing : plan.firings)
    insert(row, firing, owner, out);
  out.dropped += plan.dropped;
  out.merged += plan.merged;
  if (!plan.next)
    out.stopped.push_back({row.id, {}});
  else if (*plan.next <= window.now + window.horizon)
    out.more = true;
  seen_.checker.reserved(row, moved, window.now);
}

void played_schedule::insert(const xxl_row& row, const core::planned_firing& firing, const core::node_incarnation& owner,
                             core::reserve_outcome& out) {
  const auto kind = firing.misfire ? core::trigger_kind::misfire : core::trigger_kind::cron;
  const auto name = storage::intent_kind_name(kind);
  if (db_.run(insert_intent, name, row.id, firing.fire_at, owner.node, owner.incarnation, row.schedule()) == 0) {
    ++out.doubles;
    db_.run(reserve_again, row.id, name, firing.fire_at, row.schedule());
    return;
  }
  core::intent made;
  made.id = core::intent_id{db_.last_id()};
  made.kind = kind;
  made.job = row.id;
  made.fire_at = firing.fire_at;
  seen_.checker.intended(made, owner.node);
  out.intents.push_back(std::move(made));
}

core::result<core::drop_outcome> played_schedule::drop(const core::node_incarnation& owner,
                                                       std::span<const core::dropped_instant> instants,
                                                       core::time_point now) {
  if (!is_current(owner))
    return tl::unexpected{over(owner)};
  const auto waits = [this](core::intent_id id) {
    return db_.prepare("SELECT 1 FROM rm_intent WHERE id = ?1 AND state = 0").with(id).step();
  };
  core::drop_outcome outcome;
  for (const auto& one : instants)
    if ((!one.covered_by || waits(*one.covered_by))
        && db_.run("UPDATE rm_intent SET state = 1, node = ?2, incarnation = ?3 WHERE id = ?1 AND state = 0", one.id, owner.node,
                   owner.incarnation) == 1) {
      ++(one.covered_by ? outcome.merged : outcome.dropped);
      seen_.checker.missed(one.id, now);
    }
  return outcome;
}

core::result<std::size_t> played_schedule::forget(core::time_point before, std::size_t limit) {
  if (!seen_.rules.remembers_taken)
    before = far_future;
  return static_cast<std::size_t>(
    db_.run("DELETE FROM rm_intent WHERE id IN (SELECT id FROM rm_intent WHERE state = 1 AND created_ms <= ?1"
            " AND kind IN ('cron', 'misfire') LIMIT ?2)",
            before, limit));
}

// -- T2 --------------------------------------------------------------------------------------------------------------------

bool played_schedule::is_as_reserved(core::intent_id intent) {
  auto reading = db_.prepare(find_intent);
  if (!reading.with(intent).step() || !core::is_reserved(storage::find_intent_kind(reading.text(0))))
    return true; // the store's own claim decides
  const auto fire_at = reading.time_ms(2);
  const std::string schedule{reading.text(3)};
  const auto row = table_.row(reading.id<core::job_id>(1));
  if (!row || schedule != row->schedule())
    return !row;
  return (row->running && row->next > fire_at) || (!row->running && !row->has_next() && row->last >= fire_at);
}

std::vector<core::intent_id> played_schedule::drop_changed(core::claim_batch& batch) {
  std::vector<core::intent_id> gone;
  for (const auto& run : batch.runs) {
    if (!run.intent || is_as_reserved(*run.intent) || std::find(gone.begin(), gone.end(), *run.intent) != gone.end())
      continue;
    if (seen_.rules.looks_again)
      gone.push_back(*run.intent);
    else
      seen_.checker.changed(*run.intent);
  }
  for (auto id : gone) {
    auto reading = db_.prepare(find_intent);
    if (reading.with(id).step())
      seen_.checker.dropped(id, table_.row(reading.id<core::job_id>(1)).value());
    db_.run("DELETE FROM rm_intent WHERE id = ?1", id);
  }
  std::erase_if(batch.runs, [&](const core::planned_run& run) {
    return run.intent && std::find(gone.begin(), gone.end(), *run.intent) != gone.end();
  });
  return gone;
}

// -- edits by Ringmaster ---------------------------------------------------------------------------------------------------

void played_schedule::before_edit() {
  before_edit_ = table_.rows();
  if (mode_ == core::cluster_mode::shared && seen_.rules.keeps_last)
    db_.run("UPDATE rm_schedule SET last_ms = max(last_ms, (SELECT trigger_last_time FROM xxl_job_info WHERE id = job))");
}

// The store has written a native schedule; it is copied to the table that is the schedule in this mode.
void played_schedule::after_edit() {
  for (auto row : table_.rows()) {
    auto known = std::find_if(before_edit_.begin(), before_edit_.end(), [&](const auto& one) { return one.id == row.id; });
    const auto before = known == before_edit_.end() ? xxl_row{row.id} : *known;
    const bool anew = row.running != before.running || row.schedule() != before.schedule() || row.next != before.next;
    if (!anew && row != before && !seen_.rules.keeps_reserved)
      db_.run("DELETE FROM rm_intent WHERE job = ?1 AND kind IN ('cron', 'misfire') AND state = 0", row.id);
    if (mode_ == core::cluster_mode::shared && anew) {
      row.last = core::time_point{};
      table_.write(row, xxl_columns::times);
      db_.run("UPDATE rm_schedule SET next_ms = 0 WHERE job = ?1", row.id);
      db_.run("DELETE FROM rm_intent WHERE job = ?1 AND kind IN ('cron', 'misfire') AND state = 0", row.id);
    }
    seen_.checker.edited(row, anew, mode_);
    if (mode_ == core::cluster_mode::native && anew && row.has_next() && seen_.rules.closes_table) {
      row.next = far_future;
      table_.write(row, xxl_columns::times);
    }
  }
}

} // namespace ringmaster::simulation
