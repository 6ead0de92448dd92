#pragma once

// What Ringmaster asks of a database, by role. A method is a use case: it happens as a whole or not at all. Types are those of
// core; time comes in as an argument; what a backend does with SQL is its own affair. A store is one connection, used by one
// thread at a time. Both backends pass the conformance suite in tests/storage.
//
// Errors that every method may return: `unavailable` (connection, lock, full disk, damaged schema or file, a commit that failed
// for whatever reason; it is safe to repeat the call), `invalid_argument` or `internal` (this very data
// was refused, and repeating will not help: a value that its column does not hold, a broken constraint, a defect).

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/cluster/node.hpp"
#include "core/cluster/slot_map.hpp"
#include "core/editing/declared.hpp"
#include "core/job/group.hpp"
#include "core/job/job.hpp"
#include "core/result.hpp"
#include "core/run/log_row.hpp"
#include "core/run/run.hpp"
#include "storage/access_store.hpp"
#include "storage/alarm_store.hpp"
#include "storage/edit_store.hpp"
#include "storage/export_store.hpp"
#include "storage/job_store.hpp"
#include "storage/kept_log_store.hpp"
#include "storage/mirror_store.hpp"
#include "storage/maintenance_store.hpp"

namespace ringmaster::storage {

/// The firing path, in batches (firing protocol, T1-T4, T6, T7).
class firing_store {
public:
  virtual ~firing_store() = default;

  /// Jobs of `slots` with an id above `after`, ascending, at most `limit`, scheduled or not. For a start or a slot takeover.
  /// Sources of scripts are left out, here and in `edits_since`: a page of them would take too long.
  virtual core::result<std::vector<core::scheduled_job>> load_jobs(const core::slot_set& slots, core::job_id after,
                                                                   std::size_t limit) = 0;

  /// The highest revision of an edit that is committed: whatever is read after this call knows of all edits up to it.
  virtual core::result<std::int64_t> last_revision() = 0;

  /// Jobs whose last edit has a revision above `revision`, or is `revision` itself and whose id is above `after`, in the order of
  /// revisions and ids, at most `limit`.
  virtual core::result<std::vector<core::scheduled_job>> edits_since(std::int64_t revision, std::size_t limit,
                                                                     core::job_id after = core::last_job_id) = 0;

  /// The named jobs that exist, in id order, with their sources.
  virtual core::result<std::vector<core::scheduled_job>> read_jobs(std::span<const core::job_id> jobs) = 0;

  /// T1 and T2 in one. The owner's life must be the current one; a move needs its job's next time as expected and no edit behind
  /// `seen_revision`; an intent must still wait, and its job have the definition that the run was planned with (else it waits on
  /// and is stale). What fails its guard keeps nothing and is in the outcome's lists; so does what another transaction holds a
  /// lock on, for which the claim does not wait; the rest is kept. A claim that keeps no run has no claim row. An intent whose
  /// job is gone is deleted and lost.
  /// Repeating a committed `sequence` with the same batch claims nothing more and returns, with `repeated` set, the runs that it
  /// kept and that are still unresolved; a claim that has none left is deleted. Which moves and intents lost is not known any
  /// more, nor which of the missing runs are resolved: the lost lists are empty, and the caller reads all jobs of the batch's
  /// moves again and believes in none of its intents. (A claim without a row, because it kept no run or none is left, is tried
  /// anew: what it moved and took before counts as lost.) Errors: `fenced`; `invalid_argument` for a batch with two moves of a
  /// job, or a run that neither a move nor an intent brings.
  virtual core::result<core::claim_outcome> claim(const core::claim_batch& batch, core::time_point now) = 0;

  /// T3, T4 and T5 in one transaction. A trigger result wins while trigger_code is 0 (a failure only while
  /// handle_code is 0 and the owner's incarnation is current); a callback wins while handle_code is 0; a result and a callback of
  /// the same run are one row write, and a failed trigger of a run that has a result is written as 200. Winners with code 200
  /// write an intent per existing child (fire_at: the epoch, "at once"; retry_left: the child's own), known failures with retries
  /// left write one retry intent (same instant, shard and parameter); a failure that somebody is to be told of writes one alarm
  /// (`alarm_store`); every failed run is in `rm_failed_run` until a result of 200 comes after all. Of two triggers or callbacks
  /// of one id in a batch the first wins. A row that was deleted stays so. A fenced owner's claims stay, too. A row that another
  /// transaction holds is left out (`locked_runs`).
  virtual core::result<core::record_outcome> record(const core::record_batch& batch, core::time_point now) = 0;

  /// Claims that are open under `owner`, ascending.
  virtual core::result<std::vector<std::int64_t>> open_claims(const core::node_incarnation& owner) = 0;

  /// T6 for up to `limit` orphan claims (their node's incarnation is not the current one, or their node is down): makes them
  /// claims of `owner` with maybe_sent, numbered from `sequence` upwards, and returns their unresolved runs (trigger_code 0). An
  /// orphan without unresolved runs is deleted and not counted. Repeating it with the same `sequence` returns what it adopted
  /// before and is unresolved still, and deletes those of its claims that have nothing left; so the numbers `sequence` to
  /// `sequence + limit - 1` belong to this call and never to a claim. Looks at a bounded number of runs a call, so it may return
  /// less than there is. Errors: `fenced` when `owner` is not current.
  virtual core::result<std::vector<core::adopted_run>> adopt(const core::node_incarnation& owner, std::int64_t sequence,
                                                             std::size_t limit) = 0;

  /// T7: permits one more send of each of these adopted or unknown runs, at most once per run; `runs` names none twice, the
  /// answers are in its order. False: the row has a trigger code or a result, is gone, or it was sent again before. Errors:
  /// `fenced`, for all.
  virtual core::result<std::vector<bool>> permit_resend(const core::node_incarnation& owner,
                                                        std::span<const core::resend> runs) = 0;

  /// Waiting intents, oldest first; no alarms. A page ends early when its parameters and addresses fill it; it has one intent at
  /// least when there is one.
  virtual core::result<std::vector<core::intent>> waiting_intents(const core::intent_search& search) = 0;
  core::result<std::vector<core::intent>> waiting_intents(core::time_point created_before, std::size_t limit) {
    return waiting_intents(core::intent_search{.created_before = created_before, .limit = limit});
  }

  /// Rows (0, 0) with a trigger time at or before `before` that no open claim holds become trigger failures without retries, at
  /// most `limit`. Sweep of invariant F4; begins `abandoned_age_max` before `before`, looks at a bounded number of rows a call,
  /// and goes on behind them with the next.
  virtual core::result<core::sweep_outcome> fail_abandoned(core::time_point before, std::size_t limit) = 0;
};

/// About the bytes of a page of waiting intents.
inline constexpr std::size_t intents_page_bytes = std::size_t{4} << 20;

/// How far back the first sweep for abandoned runs goes: a whole log would take hours, and runs without a claim are made by
/// accidents of the last days alone.
inline constexpr std::chrono::hours abandoned_age_max{72};

/// Nodes and their lives (firing protocol §9).
class cluster_store {
public:
  virtual ~cluster_store() = default;

  /// Starts a new life of `node`: its incarnation is raised, above those of removed nodes and above `entry.above` too, its state
  /// `up`. What the former life claimed becomes orphaned. Errors: `conflict` when the node's row is not as `entry.replaces` says.
  virtual core::result<core::node_incarnation> enter(const std::string& node, const std::string& address,
                                              const core::entry_terms& entry = {}) = 0;

  /// Renews. `wall`: the node's own clock, for the others to compare. Errors: `fenced` when the incarnation is over.
  virtual core::result<void> beat(const core::node_incarnation& life, std::int64_t beat, core::time_point wall = {}) = 0;

  virtual core::result<std::vector<core::node_row>> nodes() = 0;

  /// All that a node looks at with its beat, in one read.
  virtual core::result<core::cluster_view> view() = 0;

  /// Makes every id that a new run gets higher than `highest`. Returns the id that the next run would have had.
  virtual core::result<core::log_id> raise_run_ids(core::log_id highest) = 0;

  /// Ends the life of a node seen dead, if its incarnation and beat are still as seen: true when this call did it. The caller has
  /// waited out its deadline, or knows that its process is gone. MySQL also kills the connections that the node's row names, if
  /// the server has not started again since; it does not wait for a claim of that node: `unavailable`, to be tried again.
  virtual core::result<bool> fence(const core::node_row& seen) = 0;

  /// A graceful stop: state `down`. No error when the incarnation is over already.
  virtual core::result<void> leave(const core::node_incarnation& life) = 0;
};

/// Executor groups and registrations.
class registry_store {
public:
  virtual ~registry_store() = default;

  /// All groups, and all registrations of any registry group.
  virtual core::result<core::registry_state> read() = 0;

  /// Renewing writes the batch's `seen` times. An address list longer than its column is cut at a comma: it is a mirror for
  /// people. A registration that cannot be a row (`core::misfit_of`): `invalid_argument`, nothing kept. After any other error a
  /// part may be kept; the same batch may be written again.
  virtual core::result<void> write(const core::registry_batch& batch, core::time_point now) = 0;
};

/// Declared groups, jobs and alarms.
class deploy_store {
public:
  virtual ~deploy_store() = default;

  /// Applies all or nothing (MySQL: staged in pieces, then switched at once), or only reports (`dry_run`). Keeps ids; never
  /// touches what `declared.source` does not own (an object of the same name made by hand or by another source is a `conflict`);
  /// `prune` removes what the source declared before and no longer does. A new, started or rescheduled job's next time is the
  /// first after max(now, its last claimed instant). What is equal is not written. Errors: `conflict` (foreign object, lower
  /// revision), `invalid_argument` with `where` (unknown group or child, duplicate, value longer than its column, a schedule that
  /// does not parse or, enabled, never fires); `forbidden` for who is no administrator.
  virtual core::result<core::deploy_report> apply(const core::declared_set& declared, bool dry_run, bool prune,
                                                  core::time_point now,
                                                  const core::principal& by = core::local_operator()) = 0;
};

/// Reads for people. Never on the firing path.
class log_store {
public:
  virtual ~log_store() = default;

  /// Rows with an id above `after`, ascending.
  virtual core::result<std::vector<core::log_row>> rows_after(core::log_id after, std::size_t limit) = 0;

  /// The named rows that exist, in id order.
  virtual core::result<std::vector<core::log_row>> rows(std::span<const core::log_id> ids) = 0;

  /// Returns those of the named runs that exist and have no result, each with its group, in id order. A read: holds up no writer.
  virtual core::result<std::vector<std::pair<core::log_id, core::group_id>>> without_result(
    std::span<const core::log_id> ids) = 0;
};

class reservation_store;

/// One connection.
class store {
public:
  virtual ~store() = default;
  virtual firing_store& firings() = 0;
  virtual cluster_store& cluster() = 0;
  virtual registry_store& registry() = 0;
  virtual deploy_store& deploys() = 0;
  virtual job_store& jobs() = 0;
  virtual job_editor& job_editing() = 0;
  virtual group_editor& group_editing() = 0;
  virtual log_store& logs() = 0;
  virtual alarm_store& alarms() = 0;
  virtual maintenance_store& maintenance() = 0;
  virtual mirror_store& mirror() = 0;
  virtual run_reader& run_reading() = 0;
  virtual user_store& users() = 0;
  virtual session_store& sessions() = 0;
  virtual api_key_store& api_keys() = 0;
  virtual audit_store& audits() = 0;
  virtual export_store& exports() = 0;
  virtual kept_log_store& kept_logs() = 0;
  /// Null: nobody else plans on this database, so it is always in native mode (SQLite).
  virtual reservation_store* reservations() { return nullptr; }

  /// A round trip. Errors: `unavailable`. A store that lost its connection tries to reconnect here and at the start of each
  /// method.
  virtual core::result<void> ping() = 0;
};

} // namespace ringmaster::storage
