#pragma once

// A run (one log row) in each stage: planned, claimed, triggered, completed. These are the rows of the firing protocol's
// transactions; `docs/execution_states.md` shows their states.

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

/// Origin of a run. `missed` is not a run: the row records the instants that the misfire policy dropped.
enum class trigger_kind : std::uint8_t { cron, misfire, manual, parent, retry, api, missed };

/// Returns a short stable name for logs and the compact trigger message: `cron`, `misfire`, `manual`, `parent`, `retry`, `api`,
/// `missed`.
[[nodiscard]] inline std::string_view to_string(trigger_kind kind) noexcept {
  switch (kind) {
  case trigger_kind::cron: return "cron";
  case trigger_kind::misfire: return "misfire";
  case trigger_kind::manual: return "manual";
  case trigger_kind::parent: return "parent";
  case trigger_kind::retry: return "retry";
  case trigger_kind::api: return "api";
  case trigger_kind::missed: return "missed";
  }
  return "cron";
}

/// Position in a broadcast. For all other runs `total` is 1 and `broadcast` is false.
struct shard {
  std::int32_t index = 0;
  std::int32_t total = 1;
  bool broadcast = false;
  friend bool operator==(const shard&, const shard&) = default;
};

/// One incarnation of a node: claims and sends are valid only while the store has this incarnation for this node.
struct node_incarnation {
  std::string node;
  std::int64_t incarnation = 0;
  friend bool operator==(const node_incarnation&, const node_incarnation&) = default;
};

/// A run before it has a log id. The address is chosen before the claim, so that the row names the executor.
struct planned_run {
  job_ptr spec;
  time_point fire_at{};
  trigger_kind kind = trigger_kind::cron;
  shard part;
  /// Base URL of the executor; empty if none was found (the run is recorded as failed after its claim).
  std::string address;
  /// Reason for a missing address, or the results of the probes; otherwise empty.
  std::string route_note;
  /// Retries still allowed after this attempt.
  std::int32_t retry_left = 0;
  /// Replaces the job's own parameter (a retry repeats the parameter of its first attempt).
  std::optional<std::string> param;
  /// Addresses to choose from instead of the group's executors; empty: the group's. A retry of the run keeps them.
  std::vector<std::string> addresses;
  /// Set for a run from a durable intent (child, retry, manual run); its claim takes the intent (T2).
  std::optional<intent_id> intent;
  /// The run that this one repeats (a retry) or follows (a child); 0: none.
  log_id origin{};
  /// The first instant for which a late run is sent; unset: `fire_at`.
  std::optional<time_point> instant;
  /// Number of further missed instants for which the late run is sent.
  std::size_t merged = 0;
  /// Lane of the trigger pool that holds a slot for this run; the store ignores it.
  std::uint8_t lane = 0;

  [[nodiscard]] const std::string& effective_param() const noexcept { return param ? *param : spec->param; }
};

/// Instants that a move drops by the misfire policy: T1 writes one log row for them.
struct missed_gap {
  job_ptr spec;
  missed_instants what;
  /// Reason, as shown in the row.
  std::string reason;
};

/// The move of one job's schedule inside a claim (T1). `expected_next` is the compare-and-set token.
struct schedule_move {
  job_id job{};
  time_point expected_next{};
  time_point last{};
  /// Unset if the schedule is exhausted; this claim then stops the job.
  std::optional<time_point> next;
  /// Instants up to `last` that are dropped; such a move has no run.
  std::optional<missed_gap> missed = {};
};

/// T1 and T2 of one node in one transaction. Runs that belong to a move succeed or fail with it; runs with an intent, with the
/// intent.
struct claim_batch {
  node_incarnation owner;
  /// Number of this claim in the owner's incarnation. Repeating a committed number returns its outcome.
  std::int64_t sequence = 0;
  /// The planner's cache of definitions contains every edit up to this revision.
  std::int64_t seen_revision = 0;
  std::vector<schedule_move> moves;
  std::vector<planned_run> runs;
  /// Name of the sending node, its id in rm_node, which the store adds to every run's trigger message.
  std::string node_host;
  /// Java admins read the same database: log rows have their format, and the job of every intent is checked again (firing
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
  /// Incarnation that may send the run; no other may.
  std::int64_t incarnation = 0;
  /// Earliest time to send it. Fixed when the run is claimed: a civil clock that is set back later does not delay it.
  std::chrono::steady_clock::time_point leave_at{};
};

/// The row of dropped instants.
struct missed_row {
  log_id id{};
  job_id job{};
  group_id group{};
  missed_instants what;
};

struct claim_outcome {
  std::int64_t sequence = 0;
  std::vector<claimed_run> runs;
  /// One row for each successful move that drops instants.
  std::vector<missed_row> missed = {};
  /// Jobs whose next time or revision had changed since it was read; nothing of them was stored. Read them again.
  std::vector<job_id> lost_races;
  /// Intents that another node took, or whose job does not exist any more.
  std::vector<intent_id> lost_intents;
  /// Reserved instants that were dropped: their job has since been stopped, rescheduled or reset (firing protocol, S3).
  std::vector<intent_id> dropped_intents;
  /// Intents that still wait, because their runs were planned with an outdated definition of the job.
  std::vector<intent_id> stale_intents;
  /// Jobs and intents whose rows another transaction holds: they were skipped and stay due or waiting.
  std::vector<job_id> locked_jobs;
  std::vector<intent_id> locked_intents;
  /// The server cannot tell which rows are held (MySQL 5.7, MariaDB 10.5): the lists contain the whole batch, and a smaller one
  /// may succeed.
  bool locked_as_one = false;
  /// An earlier call had committed this claim. `runs` are those still unresolved; the lost lists are empty because they are not
  /// known any more. Read every job of the batch's moves again.
  bool repeated = false;
};

/// Result of sending a run: T3.
struct trigger_result {
  log_id id{};
  std::int64_t claim = 0;
  job_ptr spec;
  /// 200 accepted; any other code means failure and is stored unchanged (never 0).
  std::int32_t code = 0;
  /// Stored after the compact trigger message; empty for a plain success.
  std::string message;
  /// "delivery unknown": the row's retries are set to 0 in the same statement.
  bool delivery_unknown = false;
};

/// Converts the date of a callback to the time of its run; the epoch if the date says nothing. Ringmaster sends whole seconds,
/// and executors return them or send their own time, 0 or a constant.
[[nodiscard]] constexpr time_point echoed_log_time(std::int64_t ms) noexcept {
  constexpr std::int64_t year_2000 = 946'684'800'000;
  return ms % 1000 == 0 && ms > year_2000 ? from_ms(ms) : time_point{};
}

/// Returns true if a result with this date belongs to a run before the one that was triggered at `triggered`. A later date proves
/// nothing: some executors send the end of the run. Nor does a slightly earlier date: some executors send the start by their own
/// clock.
[[nodiscard]] constexpr bool is_of_earlier_run(time_point log_time, time_point triggered) noexcept {
  return log_time != time_point{} && log_time + seconds{30} < cut_to_second(triggered);
}

/// A result from an executor: one item of a callback, T4.
struct callback {
  log_id id{};
  /// 200 success; a code of 0 or below is stored as 500.
  std::int32_t code = 0;
  std::string message;
  /// The job of the run if this node still has it in memory; null makes the store look it up.
  job_ptr spec;
  /// Groups for which the sender of the callback may report; null: all groups. Ascending.
  std::shared_ptr<const std::vector<group_id>> only_of = nullptr;
  /// `logDateTime` of its run if plausible (`echoed_log_time`), which identifies a late result of an earlier run with this id.
  /// The epoch: unknown, or compared already.
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
  /// Claims of the owner that are fully resolved; this transaction deletes them.
  std::vector<std::int64_t> resolved_claims;
  /// Java admins read the same database: trigger messages are stored in their format.
  bool shared = false;
};

/// A durable request to run: a child, a retry, a manual run or, alongside Java admins, a reserved instant. A row of `rm_intent`
/// until it is claimed.
struct intent {
  intent_id id{};
  trigger_kind kind = trigger_kind::parent;
  job_id job{};
  /// For a retry, the instant of its first attempt. For a child and a manual run, the epoch: it is due at once. For a reserved
  /// instant, the instant itself.
  time_point fire_at{};
  /// The run that it follows. For a manual run, a random negative number.
  log_id origin{};
  shard part;
  std::optional<std::string> param;
  std::int32_t retry_left = 0;
  /// As in `planned_run`.
  std::vector<std::string> addresses = {};
  /// Creation time of its row; for a reserved instant, the instant. Set where waiting intents are read.
  time_point created_at{};
};

/// Position among the waiting intents, which are ordered by creation.
struct intent_place {
  time_point created_at{};
  intent_id id{};
  friend bool operator==(const intent_place&, const intent_place&) = default;
};

/// Search for waiting intents, oldest first.
struct intent_search {
  time_point created_before{};
  std::size_t limit = 2000;
  /// Only intents after this position; by default from the beginning.
  intent_place after = {};
  /// Only reserved instants.
  bool reserved_only = false;
};

/// Returns the position of an intent.
[[nodiscard]] inline intent_place place_of(const intent& one) noexcept { return {one.created_at, one.id}; }

/// A reserved instant that is not to be sent.
struct dropped_instant {
  intent_id id{};
  /// Later instant of the same job that replaces it and must still be waiting; unset: the job's misfire policy drops it.
  std::optional<intent_id> covered_by;
  friend bool operator==(const dropped_instant&, const dropped_instant&) = default;
};

/// Number of reserved instants that one call dropped. Two nodes may decide about the same instant; one of them drops it.
struct drop_outcome {
  /// Dropped by the misfire policy DO_NOTHING.
  std::size_t dropped = 0;
  /// Replaced by another instant of the job (FIRE_ONCE_NOW).
  std::size_t merged = 0;
  friend bool operator==(const drop_outcome&, const drop_outcome&) = default;
};

/// Returns true for an intent of a reservation, made for one instant of a schedule.
[[nodiscard]] constexpr bool is_reserved(trigger_kind kind) noexcept {
  return kind == trigger_kind::cron || kind == trigger_kind::misfire;
}

/// End of a run, as it is counted.
enum class run_end : std::uint8_t { succeeded, failed, not_sent, missed };

/// A run whose end a transaction stored.
struct ended_run {
  log_id id{};
  group_id group{};
  job_id job{};
  run_end how = run_end::succeeded;
};

struct record_outcome {
  /// Runs that this transaction ended. For a run that was given up before, its late result.
  std::vector<ended_run> ended = {};
  /// Intents that this transaction wrote: the recorder's node claims them at once.
  std::vector<intent> intents;
  /// Number of trigger results that were stored (their row now has the trigger code).
  std::size_t triggers_stored = 0;
  /// Number of callbacks whose result was stored now; the others were duplicates, unknown or late.
  std::size_t callbacks_stored = 0;
  /// Runs of groups for which their callbacks may not report; nothing of them was changed.
  std::vector<log_id> foreign_callbacks;
  /// Runs whose rows another transaction holds: nothing of them was stored, and the call may be repeated for them.
  std::vector<log_id> locked_runs;
  /// Callbacks for earlier runs with the same id; they changed nothing.
  std::vector<log_id> outdated_callbacks;
  /// True if the owner's incarnation has ended: its failures were not stored.
  bool fenced = false;
};

/// A run to be sent once more (T7), and the claim that holds it.
struct resend {
  std::int64_t claim = 0;
  log_id run{};
};

/// One step of the sweep for runs without an owner.
struct sweep_outcome {
  /// Number of runs that were recorded as failed.
  std::size_t failed = 0;
  /// A limit ended the step, and more can be done now.
  bool more = false;
  friend bool operator==(const sweep_outcome&, const sweep_outcome&) = default;
};

/// Known end of an incarnation.
enum class incarnation_end : std::uint8_t {
  /// Its process has ended, or has announced that it leaves.
  sealed,
  /// It was fenced after its deadline; all incarnations before it had ended by then.
  ran_out,
  /// It was ended before its deadline: its process may still be sending.
  cut_short
};

/// A run of an earlier owner, adopted with `maybe_sent` (T6): it is unknown whether it was delivered.
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
  /// End of the incarnation that claimed it.
  incarnation_end ended = incarnation_end::sealed;
};

} // namespace ringmaster::core
