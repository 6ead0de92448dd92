#pragma once

// The role of a store whose schedule other schedulers may plan, too (firing protocol §8, §9). MySQL only.

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "core/cluster/cluster_mode.hpp"
#include "core/result.hpp"
#include "core/run/run.hpp"

namespace ringmaster::storage {

class store;

/// Ownership of the schedule, and the instants that are reserved from Java admins. Errors of every method also: `unsupported`
/// when the row `schedule_lock` is missing, with the statement that inserts it.
class reservation_store {
public:
  virtual ~reservation_store() = default;

  virtual core::result<core::mode_state> mode() = 0;

  /// T1s: under `schedule_lock` takes up to `window.jobs_max` of the jobs that are due within the horizon, earliest first, moves
  /// their next times and writes an intent for each instant; the commit releases the lock. Writes the status only to stop a job
  /// that never fires again or has an invalid schedule. Does not take an instant again that already had an intent. Leaves a job
  /// unchanged if its reserved instants pile up (`window.backlog_after`): any node or admin that can fire its next ones takes
  /// them. Errors: `fenced`, also when the mode is not `shared`.
  virtual core::result<core::reserve_outcome> reserve(const core::node_incarnation& owner,
                                                      const core::reserve_window& window) = 0;

  /// Returns running jobs that are not reserved because they have schedule options that Java admins do not know. Ascending.
  virtual core::result<std::vector<core::job_id>> unplanned() = 0;

  /// Drops reserved instants that waited too long: they count as taken and are never sent. An instant that is covered by another
  /// one is dropped only while that other one is waiting, too. Instants that do not wait any more are left out of the answer: the
  /// node that took them counts them. Errors: `fenced`.
  virtual core::result<core::drop_outcome> drop(const core::node_incarnation& owner,
                                                std::span<const core::dropped_instant> instants) = 0;

  /// Returns waiting instants that `owner` reserved to `xxl_job_info` in a graceful stop: they are due there again, and another
  /// scheduler takes them. Returns their number. Errors: `fenced`.
  virtual core::result<std::size_t> put_back(const core::node_incarnation& owner) = 0;

  /// Forgets reserved instants that were taken and lie at or before `before`, at most `limit`; returns the number (S5: not
  /// earlier than 10 s after their time). Each call continues where the last one ended; instants that are taken later than that
  /// are left to `firing_store::fail_abandoned`.
  virtual core::result<std::size_t> forget(core::time_point before, std::size_t limit) = 0;

  /// Takes the guard of native mode: holds `schedule_lock` on this connection until `let_go`, the end of the connection, or a
  /// call that finds the mode switched or about to be switched. That call returns false. A mode that cannot be read neither
  /// begins nor ends a guard. Call it repeatedly to keep the guard; call no other method of this store in between.
  virtual core::result<bool> hold() = 0;
  virtual core::result<void> let_go() = 0;

  /// Switches the mode (`takeover` and `--back`). Announces the switch and waits until the guard releases the lock; if that takes
  /// longer than `patience`, ends the connections of all nodes. Then, under `schedule_lock` and in one transaction, ends every
  /// node's incarnation, copies the schedule from or to `xxl_job_info`, and sets the mode. Errors: `unavailable` when the lock
  /// does not become free: mode and schedule are unchanged and the announcement is removed, but `xxl_job_info` may hide its next
  /// times for up to a minute.
  virtual core::result<core::mode_switch> switch_mode(core::cluster_mode to, core::milliseconds patience) = 0;

  /// Reads the next log rows after `after` and replaces native mode's compact trigger notes among them by the texts that Java
  /// admins store and show; for use after `--back`. Leaves a row that is being recorded at this moment to a later call.
  /// Idempotent.
  virtual core::result<core::note_rewrite> rewrite_notes(core::log_id after) = 0;
};

/// Returns the mode of the store's database; native where no other scheduler plans. `wanted`: the configured mode, empty for any.
/// Errors: `conflict` when the database has another mode, with the command to run; those of `mode`.
[[nodiscard]] core::result<core::cluster_mode> agreed_mode(store& of, std::string_view wanted);

} // namespace ringmaster::storage
