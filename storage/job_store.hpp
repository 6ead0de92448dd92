#pragma once

// Operations on single jobs. A role of the store; errors and threads are described in storage/store.hpp.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/access/principal.hpp"
#include "core/editing/manual_edits.hpp"
#include "core/job/job.hpp"
#include "core/result.hpp"

namespace ringmaster::storage {

/// Edits of one job (firing protocol §7). Each edit is one transaction; after it commits, no claim of the old definition
/// succeeds. The transaction also checks the permission of `by` in the job's group and writes the audit row. Errors of all edits:
/// `not_found` with `job_id_illegal`, `forbidden`.
class job_store {
public:
  virtual ~job_store() = default;

  /// Schedules the job; its next time is the first one after now and its last claimed instant (`core::search_from`). A job that
  /// is already running keeps its next time, so that instants that are due and not claimed yet are still fired. Errors:
  /// `forbidden` unless `by` may operate; `invalid_argument` with XXL's refusal when it has no schedule or never fires.
  virtual core::result<core::job_edit> start(core::job_id job, core::time_point now,
                                             const core::principal& by = core::local_operator()) = 0;

  /// Stops the job, running or not; keeps the last claimed instant. Errors: `forbidden` unless `by` may operate.
  virtual core::result<core::job_edit> stop(core::job_id job, core::time_point now,
                                            const core::principal& by = core::local_operator()) = 0;

  /// Plans a job from now again: its next time becomes the first after `now`, if it is scheduled, and a last claimed instant in
  /// the future becomes `now`. Repairs times that a wrong clock wrote (`core::check_times`). Changes nothing else. Errors:
  /// `forbidden` unless `by` may operate; `invalid_argument` for a schedule that cannot be planned.
  virtual core::result<core::job_edit> count_again(core::job_id job, core::time_point now,
                                                   const core::principal& by = core::local_operator()) = 0;

  /// Makes a manual run durable. A repeated call with the same token and job returns the same intent and changes nothing. Errors:
  /// `conflict` for a repeated token with another parameter or other addresses; `forbidden` unless `by` may operate, and for an
  /// address outside the group unless `by` is an administrator; `invalid_argument` for values that do not fit a column.
  virtual core::result<core::intent> trigger(const core::manual_trigger& wanted, core::time_point now,
                                             const core::principal& by = core::local_operator()) = 0;

  /// Returns the runs of an intent that `trigger` made. They are known until ten minutes after the intent was taken, and until
  /// its runs have their results. Errors: `not_found`, also when the job was removed first; `forbidden` unless `by` may see the
  /// job's group, or the group of its run if the job is gone.
  virtual core::result<core::asked_runs> runs_of(core::intent_id intent, const core::principal& by = core::local_operator()) = 0;

  /// Removes the job, its schedule, its options, its waiting intents and the history of its source; log rows stay until
  /// `remove_logs`. `seen` as in `job_editor::update`. Errors: `forbidden` unless `by` is editor; `conflict` for a declared job
  /// unless `declared_too`, and for a later edit.
  virtual core::result<core::job_edit> remove(core::job_id job, bool declared_too, core::time_point now,
                                              const core::principal& by = core::local_operator(),
                                              std::string_view seen = {}) = 0;

  /// Deletes log rows of a job from `after` on, at most `limit` per call, so that no lock is held for long. Rows of runs that are
  /// being sent stay.
  virtual core::result<core::log_removal> remove_logs(core::job_id job, core::log_id after, std::size_t limit) = 0;

  /// Returns the number of runs of these jobs in open claims with neither a trigger code nor a result.
  virtual core::result<std::size_t> runs_on_their_way(std::span<const core::job_id> jobs) = 0;

  /// By id, or by group and key. Errors: `not_found`.
  virtual core::result<core::scheduled_job> find(const core::job_name& name) = 0;
};

} // namespace ringmaster::storage
