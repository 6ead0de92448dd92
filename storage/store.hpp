#pragma once

// Interfaces of the store, by role. A method is a use case: it takes effect completely or not at all. Types are those of core;
// the time is an argument; SQL is internal to a backend. A store is one connection, used by one thread at a time. Both backends
// pass the conformance suite in tests/storage.
//
// Errors that every method may return: `unavailable` (connection, lock, full disk, damaged schema or file, a failed commit; the
// call may be repeated safely), `invalid_argument` or `internal` (the data was refused and repeating does not help: a value that
// does not fit its column, a broken constraint, a defect).

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/cluster/node.hpp"
#include "core/cluster/pending_work.hpp"
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
#include "storage/elastic_store.hpp"
#include "storage/export_store.hpp"
#include "storage/job_store.hpp"
#include "storage/kept_log_store.hpp"
#include "storage/mirror_store.hpp"
#include "storage/maintenance_store.hpp"
#include "storage/search_store.hpp"

namespace ringmaster::storage {

/// The firing path, in batches (firing protocol, T1-T4, T6, T7).
class firing_store {
public:
  virtual ~firing_store() = default;

  /// Returns jobs of `slots` with an id above `after`, ascending, at most `limit`, scheduled or not. For a start or a slot
  /// takeover. Leaves out sources of scripts, as `edits_since` does: a page with them would take too long.
  virtual core::result<std::vector<core::scheduled_job>> load_jobs(const core::slot_set& slots, core::job_id after,
                                                                   std::size_t limit) = 0;

  /// Returns the highest revision of a committed edit. Every later read sees all edits up to it.
  virtual core::result<std::int64_t> last_revision() = 0;

  /// Returns jobs whose last edit has a revision above `revision`, or equal to it with a job id above `after`, in the order of
  /// revisions and ids, at most `limit`.
  virtual core::result<std::vector<core::scheduled_job>> edits_since(std::int64_t revision, std::size_t limit,
                                                                     core::job_id after = core::last_job_id) = 0;

  /// Returns those of the named jobs that exist, in id order, with their sources.
  virtual core::result<std::vector<core::scheduled_job>> read_jobs(std::span<const core::job_id> jobs) = 0;

  /// Executes T1 and T2 in one transaction. The owner's incarnation must be the current one. A move needs its job's expected next
  /// time and no edit after `seen_revision`. An intent must still be waiting, and its job must have the definition that the run
  /// was planned with (otherwise the intent keeps waiting and is stale). A part that fails its guard keeps nothing and is in the
  /// outcome's lists, as is a part whose row another transaction has locked: the claim does not wait for it. All other parts are
  /// kept. A claim without runs has no claim row. An intent whose job is gone is deleted and lost.
  /// Repeating a committed `sequence` with the same batch claims nothing more. It sets `repeated` and returns the kept runs that
  /// are still unresolved; a claim without unresolved runs is deleted. It is then unknown which moves and intents lost, and which
  /// of the missing runs are resolved: the lost lists are empty, and the caller has to read all jobs of the batch's moves again
  /// and must not trust any of its intents. (A claim without a row, because it kept no run or none is left, is tried again: what
  /// it moved and took before counts as lost.) Errors: `fenced`; `invalid_argument` for a batch with two moves of a job, or a run
  /// with neither a move nor an intent.
  virtual core::result<core::claim_outcome> claim(const core::claim_batch& batch, core::time_point now) = 0;

  /// Executes T3, T4 and T5 in one transaction. A trigger result wins while trigger_code is 0 (a failure only while handle_code
  /// is 0 and the owner's incarnation is current); a callback wins while handle_code is 0. A result and a callback of the same
  /// run are one row write; a failed trigger of a run that has a result is written as 200. Winners with code 200 write an intent
  /// per existing child (fire_at: the epoch, "at once"; retry_left: the child's own). Known failures with retries left write one
  /// retry intent (same instant, shard and parameter). A failure that needs a notification writes one alarm (`alarm_store`).
  /// Every failed run is in `rm_failed_run` unless a result of 200 arrives later. Of two triggers or callbacks of one id in a
  /// batch the first wins. Deleted rows are not restored. A fenced owner's claims stay, too. A row that another transaction has
  /// locked is left out (`locked_runs`).
  virtual core::result<core::record_outcome> record(const core::record_batch& batch, core::time_point now) = 0;

  /// Returns the open claims of `owner`, ascending.
  virtual core::result<std::vector<std::int64_t>> open_claims(const core::node_incarnation& owner) = 0;

  /// Executes T6 for up to `limit` orphan claims (their node's incarnation is not the current one, or their node is down): makes
  /// them claims of `owner` with maybe_sent, numbered from `sequence` upwards, and returns their unresolved runs (trigger_code
  /// 0). An orphan without unresolved runs is deleted and not counted. Repeating it with the same `sequence` returns the adopted
  /// runs that are still unresolved, and deletes those of its claims that have none left; so the numbers `sequence` to `sequence
  /// + limit - 1` belong to this call and must never be used for a claim. Reads a bounded number of runs per call, so it may
  /// return fewer than exist. Errors: `fenced` when `owner` is not current.
  virtual core::result<std::vector<core::adopted_run>> adopt(const core::node_incarnation& owner, std::int64_t sequence,
                                                             std::size_t limit) = 0;

  /// Executes T7: permits one more send of each of these adopted or unknown runs, at most once per run. `runs` has no duplicates;
  /// the answers are in its order. False: the row has a trigger code or a result, is gone, or was already sent again. Errors:
  /// `fenced`, for all.
  virtual core::result<std::vector<bool>> permit_resend(const core::node_incarnation& owner,
                                                        std::span<const core::resend> runs) = 0;

  /// Returns waiting intents, oldest first, without alarms. A page ends early when its parameters and addresses fill it, but
  /// contains at least one intent if one exists.
  virtual core::result<std::vector<core::intent>> waiting_intents(const core::intent_search& search) = 0;
  core::result<std::vector<core::intent>> waiting_intents(core::time_point created_before, std::size_t limit) {
    return waiting_intents(core::intent_search{.created_before = created_before, .limit = limit});
  }

  /// Turns rows (0, 0) with a trigger time at or before `before` that no open claim holds into trigger failures without retries,
  /// at most `limit`. Sweep of invariant F4. Begins `abandoned_age_max` before `before`, reads a bounded number of rows per call,
  /// and continues after them in the next call.
  virtual core::result<core::sweep_outcome> fail_abandoned(core::time_point before, std::size_t limit) = 0;
};

/// Approximate size of a page of waiting intents in bytes.
inline constexpr std::size_t intents_page_bytes = std::size_t{4} << 20;

/// Age limit of the first sweep for abandoned runs: a whole log would take hours, and runs without a claim come only from
/// accidents of the last days.
inline constexpr std::chrono::hours abandoned_age_max{72};

/// Nodes and their incarnations (firing protocol §9).
class cluster_store {
public:
  virtual ~cluster_store() = default;

  /// Starts a new incarnation of `node`: its number is above those of removed nodes and above `entry.above`, its state `up`. The
  /// claims of the earlier incarnation become orphaned. Errors: `conflict` when the node's row is not as `entry.replaces` says.
  virtual core::result<core::node_incarnation> enter(const std::string& node, const std::string& address,
                                              const core::entry_terms& entry = {}) = 0;

  /// Renews the heartbeat. `wall`: the node's own clock, for other nodes to compare. Errors: `fenced` when the incarnation has
  /// ended.
  virtual core::result<void> beat(const core::node_incarnation& incarnation, std::int64_t beat, core::time_point wall = {}) = 0;

  virtual core::result<std::vector<core::node_row>> nodes() = 0;

  /// Returns everything that a node checks with its heartbeat, in one read.
  virtual core::result<core::cluster_view> view() = 0;

  /// Returns what the polls of a node with the incarnation `own` would find, in one statement. Does not check whether the
  /// incarnation has ended.
  virtual core::result<core::pending_work> find_work(const core::node_incarnation& own) = 0;

  /// Returns a run id that the next run's id is not below, and that is above those of all earlier runs. Changes nothing.
  virtual core::result<core::log_id> next_run_id() = 0;

  /// Makes the ids of all future runs higher than `highest`. Returns the id that the next run would have had.
  virtual core::result<core::log_id> raise_run_ids(core::log_id highest) = 0;

  /// Ends the incarnation of a node found dead, if its incarnation and beat are unchanged. Returns true if this call ended it.
  /// Before the call, the caller has waited until the node's deadline passed, or knows that its process is gone. MySQL also kills
  /// the connections that the node's row names, unless the database server has restarted since. It does not wait for a claim of
  /// that node: it returns `unavailable`, and the caller tries again.
  virtual core::result<bool> fence(const core::node_row& seen) = 0;

  /// Sets whether the node of this incarnation has slots. Errors: `fenced` when the incarnation has ended.
  virtual core::result<void> serve(const core::node_incarnation& incarnation, bool serves) = 0;

  /// Marks the node `down` in a graceful stop. Succeeds if the incarnation has already ended.
  virtual core::result<void> leave(const core::node_incarnation& incarnation) = 0;
};

/// Executor groups and registrations.
class registry_store {
public:
  virtual ~registry_store() = default;

  /// Returns all groups, and all registrations of any registry group.
  virtual core::result<core::registry_state> read() = 0;

  /// Writes registrations; a renewal writes the batch's `seen` times. An address list longer than its column is cut at a comma:
  /// it only mirrors the registrations for users. A registration that does not fit a row (`core::misfit_of`) is
  /// `invalid_argument`, and nothing is stored. After any other error a part may be stored; the same batch may be written again.
  virtual core::result<void> write(const core::registry_batch& batch, core::time_point now) = 0;
};

/// Declared groups, jobs and alarms.
class deploy_store {
public:
  virtual ~deploy_store() = default;

  /// Applies all or nothing (MySQL: staged in pieces, then switched at once), or only reports (`dry_run`). Keeps ids; never
  /// touches objects that `declared.source` does not own (an object of the same name that is not declared, or declared by another
  /// source, is a `conflict`). `prune` removes objects that the source declared before and no longer does. The next time of a
  /// new, started or rescheduled job is the first after max(now, its last claimed instant). Equal objects are not written.
  /// Errors: `conflict` (foreign object, lower revision), `invalid_argument` with `where` (unknown group or child, duplicate,
  /// value longer than its column, an invalid schedule or an enabled one that never fires); `forbidden` for non-administrators.
  virtual core::result<core::deploy_report> apply(const core::declared_set& declared, bool dry_run, bool prune,
                                                  core::time_point now,
                                                  const core::principal& by = core::local_operator()) = 0;
};

/// Reads for users. Never on the firing path.
class log_store {
public:
  virtual ~log_store() = default;

  /// Returns rows with an id above `after`, ascending.
  virtual core::result<std::vector<core::log_row>> rows_after(core::log_id after, std::size_t limit) = 0;

  /// Returns those of the named rows that exist, in id order.
  virtual core::result<std::vector<core::log_row>> rows(std::span<const core::log_id> ids) = 0;

  /// Returns those of the named runs that exist and have no result, each with its group, in id order. A read: blocks no writer.
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
  virtual search_store& searches() = 0;
  virtual elastic_store& elastic() = 0;
  /// Returns the reservations, or null if no other scheduler plans on this database, which is then always in native mode
  /// (SQLite).
  virtual reservation_store* reservations() { return nullptr; }

  /// Makes a round trip to the database. A store that lost its connection tries to reconnect here and at the start of each
  /// method. Errors: `unavailable`.
  virtual core::result<void> ping() = 0;
};

} // namespace ringmaster::storage
