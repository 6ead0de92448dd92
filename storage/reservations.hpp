#pragma once

// The role of a store whose schedule others may plan, too (firing protocol §8, §9). MySQL only.

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "core/cluster/cluster_mode.hpp"
#include "core/result.hpp"
#include "core/run/run.hpp"

namespace ringmaster::storage {

class store;

/// Who owns the schedule, and the instants that are taken from Java admins. Errors of every method also: `unsupported` when the
/// row `schedule_lock` is missing, with the statement that brings it.
class reservation_store {
public:
  virtual ~reservation_store() = default;

  virtual core::result<core::mode_state> mode() = 0;

  /// T1s: under `schedule_lock` takes up to `window.jobs_max` of the jobs that are due within the horizon, earliest first, moves
  /// their next times and writes an intent for each instant; the commit releases the lock. Status is written only to stop a job
  /// that never fires again or whose schedule cannot be read. An instant that an intent was made for before is not taken again. A
  /// job whose reserved instants pile up (`window.backlog_after`) is left as it is: its next ones are for whoever can fire them.
  /// Errors: `fenced`, also when the mode is not `shared`.
  virtual core::result<core::reserve_outcome> reserve(const core::node_incarnation& owner,
                                                      const core::reserve_window& window) = 0;

  /// Running jobs that are not reserved: they have options of the schedule that Java admins do not know. Ascending.
  virtual core::result<std::vector<core::job_id>> unplanned() = 0;

  /// Reserved instants that waited too long: they count as taken and are never sent. One that another one covers is dropped only
  /// while that one waits, too. Errors: `fenced`.
  virtual core::result<void> drop(const core::node_incarnation& owner, std::span<const core::dropped_instant> instants) = 0;

  /// A graceful stop: the waiting instants that `owner` reserved are due again in `xxl_job_info`, so that whoever goes on takes
  /// them. How many. Errors: `fenced`.
  virtual core::result<std::size_t> put_back(const core::node_incarnation& owner) = 0;

  /// Forgets reserved instants that were taken and lie at or before `before`, at most `limit`; how many (S5: not earlier than 10
  /// s after their time). Each call goes on where the last one ended: what is taken later than that is left to
  /// `firing_store::fail_abandoned`.
  virtual core::result<std::size_t> forget(core::time_point before, std::size_t limit) = 0;

  /// Native mode's guard: takes `schedule_lock` on this connection and keeps it until `let_go`, the end of the connection, or a
  /// call that finds the mode switched or about to be; false then. A mode that cannot be read begins no guard and ends none.
  /// Repeated to keep it. Nothing else may be called on this store in between.
  virtual core::result<bool> hold() = 0;
  virtual core::result<void> let_go() = 0;

  /// `takeover` and `--back`: announces itself, waits until the guard lets go (and, when that takes longer than `patience`, ends
  /// the connections of all nodes), then, under `schedule_lock` and in one transaction, ends every node's life, copies the
  /// schedule from or to `xxl_job_info`, and sets the mode. Errors: `unavailable` when the lock does not come free: mode and
  /// schedule are as before and the announcement is gone, but `xxl_job_info` may hide its next times for the minute.
  virtual core::result<core::mode_switch> switch_mode(core::cluster_mode to, core::milliseconds patience) = 0;

  /// After `--back`: looks at the next log rows after `after` and replaces native mode's compact trigger notes among them by the
  /// texts that Java admins store and show. A row that is recorded at the same moment is left to a later call. Idempotent.
  virtual core::result<core::note_rewrite> rewrite_notes(core::log_id after) = 0;
};

/// The mode of the store's database; native where nobody else plans. `wanted`: what the configuration says, empty for anything.
/// Errors: `conflict` when the database says otherwise, with the command to run; those of `mode`.
[[nodiscard]] core::result<core::cluster_mode> agreed_mode(store& of, std::string_view wanted);

} // namespace ringmaster::storage
