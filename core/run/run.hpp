#pragma once

// A run (one log row) on its way: planned, claimed, triggered, completed. These are the rows of the firing protocol's
// transactions; `docs/execution_states.md` draws their states.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "core/job/job.hpp"
#include "core/run/missed.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// Why a run exists.
/// `missed`: not a run at all; the row of the instants that the misfire policy dropped.
enum class trigger_kind : std::uint8_t { cron, misfire, manual, parent, retry, api, missed };

/// Short stable name for logs and the compact trigger message: `cron`, `misfire`, `manual`, `parent`, `retry`, `api`, `missed`.
[[nodiscard]] std::string_view to_string(trigger_kind kind) noexcept;

/// Position in a broadcast. `total` is 1 and `broadcast` false for everything else.
struct shard {
  std::int32_t index = 0;
  std::int32_t total = 1;
  bool broadcast = false;
  friend bool operator==(const shard&, const shard&) = default;
};

/// A node's life: claims and sends are valid only while the store has this incarnation for this node.
struct node_incarnation {
  std::string node;
  std::int64_t incarnation = 0;
  friend bool operator==(const node_incarnation&, const node_incarnation&) = default;
};

/// A run before it has a log id. The address is chosen before the claim, so the row names whom to ask.
struct planned_run {
  job_ptr spec;
  time_point fire_at{};
  trigger_kind kind = trigger_kind::cron;
  shard part;
  /// Base URL of the executor; empty: none was found (the run is recorded as failed after its claim).
  std::string address;
  /// Why there is no address, or what the probes said; empty otherwise.
  std::string route_note;
  /// Retries still allowed after this attempt.
  std::int32_t retry_left = 0;
  /// Replaces the job's own parameter (a retry repeats its first attempt's).
  std::optional<std::string> param;
  /// Chosen from these instead of the group's executors; empty: from the group's. A retry of the run keeps them.
  std::vector<std::string> addresses;
  /// Set when the run comes from a durable intent (child, retry, by hand); its claim takes the intent (T2).
  std::optional<intent_id> intent;
  /// The run that this one repeats (a retry) or follows (a child); 0: none.
  log_id origin{};
  /// The trigger pool's lane that holds a slot for this run; the store ignores it.
  std::uint8_t lane = 0;

  [[nodiscard]] const std::string& effective_param() const noexcept { return param ? *param : spec->param; }
};

/// What a move drops by the misfire policy: T1 writes one row of the log for it.
struct missed_gap {
  job_ptr spec;
  missed_instants what;
  /// Why, as the row says it.
  std::string reason;
};

/// The move of one job's schedule inside a claim (T1). `expected_next` is the compare-and-set token.
struct schedule_move {
  job_id job{};
  time_point expected_next{};
  time_point last{};
  /// Nothing: the schedule is exhausted, the job is stopped by this claim.
  std::optional<time_point> next;
  /// Instants up to `last` that are dropped; such a move brings no run.
  std::optional<missed_gap> missed = {};
};

/// T1 and T2 of one node in one transaction. Runs that belong to a move stand and fall with it; runs with an intent, with theirs.
struct claim_batch {
  node_incarnation owner;
  /// Number of this claim in the owner's life. Repeating a committed number returns its outcome.
  std::int64_t sequence = 0;
  /// Every edit up to this revision is in the planner's cache of definitions.
  std::int64_t seen_revision = 0;
  std::vector<schedule_move> moves;
  std::vector<planned_run> runs;
  /// Text for every run's trigger message that only the sender knows: its own host.
  std::string node_host;
  /// Java admins read the same database: log rows are as they write them, and every intent's job is looked at again (firing
  /// protocol, S3).
  bool shared = false;
};

/// A run that its owner may now send: it has a log row (0, 0).
struct claimed_run {
  log_id id{};
  std::int64_t claim = 0;
  planned_run plan;
  /// Sends before this one with the same log id.
  std::int32_t attempt = 0;
  /// Of the life that may send it; others must not.
  std::int64_t incarnation = 0;
  /// When it may leave at the earliest. Fixed when the run is claimed: a civil clock that is set back later does not hold it.
  std::chrono::steady_clock::time_point leave_at{};
};

/// The row of instants that were dropped.
struct missed_row {
  log_id id{};
  job_id job{};
  group_id group{};
  missed_instants what;
};

struct claim_outcome {
  std::int64_t sequence = 0;
  std::vector<claimed_run> runs;
  /// One for each move that won and drops instants.
  std::vector<missed_row> missed = {};
  /// Jobs whose next time or revision was not as read; nothing of them was kept. Read them again.
  std::vector<job_id> lost_races;
  /// Intents that somebody else took, or whose job is gone.
  std::vector<intent_id> lost_intents;
  /// Reserved instants that were dropped: their job was stopped, rescheduled or put back since (firing protocol, S3).
  std::vector<intent_id> dropped_intents;
  /// Still waiting, because their runs were planned with another definition of the job than it has now.
  std::vector<intent_id> stale_intents;
  /// Jobs and intents whose rows another transaction holds: left out, still due or waiting as they were.
  std::vector<job_id> locked_jobs;
  std::vector<intent_id> locked_intents;
  /// The server cannot say which rows are held (MySQL 5.7, MariaDB 10.5): the lists name all of the batch, and a smaller one may
  /// succeed.
  bool locked_as_one = false;
  /// An earlier call had committed this claim: `runs` are those still unresolved, the lost lists are empty because they are not
  /// known any more. Read every job of the batch's moves again.
  bool repeated = false;
};

/// What became of sending a run: T3.
struct trigger_result {
  log_id id{};
  std::int64_t claim = 0;
  job_ptr spec;
  /// 200 accepted; anything else failed and is stored as it is (never 0).
  std::int32_t code = 0;
  /// Stored behind the compact trigger message; empty for a plain success.
  std::string message;
  /// "delivery unknown": the row's retries are set to 0 in the same statement.
  bool delivery_unknown = false;
};

/// A result from an executor: one item of a callback, T4.
/// What a callback's date says of its run; the epoch: nothing. We send whole seconds, and executors either send them back or put
/// their own time, 0 or a constant there.
[[nodiscard]] constexpr time_point echoed_log_time(std::int64_t ms) noexcept {
  constexpr std::int64_t year_2000 = 946'684'800'000;
  return ms % 1000 == 0 && ms > year_2000 ? from_ms(ms) : time_point{};
}

/// A result with this date is of a run before the one that was triggered then. Later dates prove nothing: some executors send
/// the time at which a run ended. Nor do dates that are a little earlier: some send their own clock's time of the start.
[[nodiscard]] constexpr bool is_of_earlier_run(time_point log_time, time_point triggered) noexcept {
  return log_time != time_point{} && log_time + seconds{30} < cut_to_second(triggered);
}

struct callback {
  log_id id{};
  /// 200 success; a code of 0 or below is stored as 500.
  std::int32_t code = 0;
  std::string message;
  /// The job of the run if this node still has it in memory; null makes the store look it up.
  job_ptr spec;
  /// Who sent it speaks for runs of these groups alone; null: for all. Ascending.
  std::shared_ptr<const std::vector<group_id>> only_of = nullptr;
  /// `logDateTime` of its run where it can be one (`echoed_log_time`), so that a late result of an earlier run with this id is
  /// known; the epoch: it says nothing, or was compared already.
  time_point log_time{};

  [[nodiscard]] bool may_be_of(group_id group) const noexcept {
    return !only_of || std::binary_search(only_of->begin(), only_of->end(), group);
  }
};

/// T3 and T4 in one transaction.
struct record_batch {
  node_incarnation owner;
  std::vector<trigger_result> triggers;
  std::vector<callback> callbacks;
  /// Claims of the owner that are wholly resolved and go away with this transaction.
  std::vector<std::int64_t> resolved_claims;
  /// Java admins read the same database: trigger messages are stored as they write them.
  bool shared = false;
};

/// A durable request to run: a child, a retry, a run by hand or, beside Java admins, a reserved instant. A row of `rm_intent`
/// until it is claimed.
struct intent {
  intent_id id{};
  trigger_kind kind = trigger_kind::parent;
  job_id job{};
  /// A retry: the instant of its first attempt. A child, and by hand: the epoch, it is due at once. A reserved instant: itself.
  time_point fire_at{};
  /// The run that it follows. By hand: a random negative number.
  log_id origin{};
  shard part;
  std::optional<std::string> param;
  std::int32_t retry_left = 0;
  /// As in `planned_run`.
  std::vector<std::string> addresses = {};
  /// When its row was made; of a reserved instant: the instant. Set where waiting intents are read.
  time_point created_at{};
};

/// A place among the waiting intents, which stand in the order of their making.
struct intent_place {
  time_point created_at{};
  intent_id id{};
  friend bool operator==(const intent_place&, const intent_place&) = default;
};

/// Which waiting intents are wanted, oldest first.
struct intent_search {
  time_point created_before{};
  std::size_t limit = 2000;
  /// Those behind this place; the beginning by default.
  intent_place after = {};
  /// Reserved instants alone.
  bool reserved_only = false;
};

/// The place of the last one.
[[nodiscard]] inline intent_place place_of(const intent& one) noexcept { return {one.created_at, one.id}; }

/// A reserved instant that is not to be sent.
struct dropped_instant {
  intent_id id{};
  /// A later instant of the same job that stands for it, and must still wait; nothing: the job's misfire policy drops it.
  std::optional<intent_id> covered_by;
  friend bool operator==(const dropped_instant&, const dropped_instant&) = default;
};

/// Made by a reservation, for one instant of a schedule.
[[nodiscard]] constexpr bool is_reserved(trigger_kind kind) noexcept {
  return kind == trigger_kind::cron || kind == trigger_kind::misfire;
}

/// How a run ended, as it is counted.
enum class run_end : std::uint8_t { succeeded, failed, not_sent, missed };

/// A run whose end a transaction stored.
struct ended_run {
  log_id id{};
  group_id group{};
  job_id job{};
  run_end how = run_end::succeeded;
};

struct record_outcome {
  /// Runs that ended by this transaction. Of a run that was given up before, its late result.
  std::vector<ended_run> ended = {};
  /// Intents that this transaction wrote: the recorder's node claims them at once.
  std::vector<intent> intents;
  /// Log ids of trigger results that won (their row now has the trigger code).
  std::size_t triggers_stored = 0;
  /// Callbacks whose result was stored now; the others were duplicates, unknown or late.
  std::size_t callbacks_stored = 0;
  /// Runs of other groups than their callbacks may speak for; these changed nothing.
  std::vector<log_id> foreign_callbacks;
  /// Runs whose rows another transaction holds: nothing of them was stored, and the call may be repeated for them.
  std::vector<log_id> locked_runs;
  /// Callbacks that are of earlier runs with the same id; these changed nothing.
  std::vector<log_id> outdated_callbacks;
  /// True when the owner's incarnation is over: its failures were not stored.
  bool fenced = false;
};

/// A run that shall be sent once more (T7), and the claim that holds it.
struct resend {
  std::int64_t claim = 0;
  log_id run{};
};

/// One step of the sweep for runs that nobody holds.
struct sweep_outcome {
  /// Runs that were recorded as failed.
  std::size_t failed = 0;
  /// A bound ended the step, and what lies behind it can be done now.
  bool more = false;
  friend bool operator==(const sweep_outcome&, const sweep_outcome&) = default;
};

/// What is known of the end of a life.
enum class incarnation_end : std::uint8_t {
  /// Its process is gone, or said that it leaves.
  sealed,
  /// It was fenced after its deadline, as all lives before it were over by then.
  ran_out,
  /// It was ended before its deadline: its process may still be sending.
  cut_short
};

/// A run of a former owner, adopted with `maybe_sent` (T6): nobody knows whether it was delivered.
struct adopted_run {
  log_id id{};
  std::int64_t claim = 0;
  job_id job{};
  time_point fire_at{};
  shard part;
  std::int32_t attempt = 0;
  /// From its log row.
  std::string address;
  std::optional<std::string> param;
  std::int32_t retry_left = 0;
  std::int32_t handle_code = 0;
  /// Of the life that claimed it.
  incarnation_end ended = incarnation_end::sealed;
};

} // namespace ringmaster::core
