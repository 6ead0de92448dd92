#pragma once

// What people do to jobs, one at a time. A role of the store (storage/store.hpp), where errors and threads are described.

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

/// What came of a run by hand so far.
struct asked_runs {
  /// Nobody has claimed it yet.
  bool waiting = false;
  /// One, or one a shard.
  std::vector<core::log_id> runs;
};

/// Edits of one job (firing protocol §7): each is one transaction, and from its commit on no claim of the old definition
/// succeeds. The transaction also checks the right of `by` in the group that the job has, and writes the audit row. Errors of all
/// edits: `not_found` with `job_id_illegal`, `forbidden`.
class job_store {
public:
  virtual ~job_store() = default;

  /// Schedules the job; its next time is the first one after now and its last claimed instant (`core::search_from`). A job that
  /// runs already keeps its next time: what is due and not claimed yet is still to come. Errors: `forbidden` unless `by` may
  /// operate; `invalid_argument` with XXL's refusal when it has no schedule or never fires.
  virtual core::result<core::job_edit> start(core::job_id job, core::time_point now,
                                             const core::principal& by = core::local_operator()) = 0;

  /// Stops it, running or not; the last claimed instant is kept. Errors: `forbidden` unless `by` may operate.
  virtual core::result<core::job_edit> stop(core::job_id job, core::time_point now,
                                            const core::principal& by = core::local_operator()) = 0;

  /// Counts a job from now again: its next time is the first after `now`, if it is scheduled, and a last claimed instant that
  /// lies ahead becomes `now`. For times that a wrong clock left behind (`core::check_times`). Nothing else changes. Errors:
  /// `forbidden` unless `by` may operate; `invalid_argument` for a schedule that cannot be planned.
  virtual core::result<core::job_edit> count_again(core::job_id job, core::time_point now,
                                                   const core::principal& by = core::local_operator()) = 0;

  /// Makes a run by hand durable. The same token and job once more give the same intent, and are no second change. Errors:
  /// `conflict` for them with another parameter or other addresses; `forbidden` unless `by` may operate, and for an address that
  /// is not one of the group's, unless he is an administrator; `invalid_argument` for what no column holds.
  virtual core::result<core::intent> trigger(const core::manual_trigger& wanted, core::time_point now,
                                             const core::principal& by = core::local_operator()) = 0;

  /// What became of an intent that `trigger` made. Known until it was taken ten minutes ago and its runs have their results.
  /// Errors: `not_found` also when its job went away first; `forbidden` unless `by` may see the group that the job has, or that
  /// its run had when the job is gone.
  virtual core::result<asked_runs> runs_of(core::intent_id intent, const core::principal& by = core::local_operator()) = 0;

  /// Removes the job, its schedule, its options, its waiting intents and the history of its source; log rows stay until
  /// `remove_logs`. `seen` as in `job_editor::update`. Errors: `forbidden` unless `by` is editor; `conflict` for a declared job
  /// unless `declared_too`, and for an edit since.
  virtual core::result<core::job_edit> remove(core::job_id job, bool declared_too, core::time_point now,
                                              const core::principal& by = core::local_operator(),
                                              std::string_view seen = {}) = 0;

  /// Deletes log rows of a job from `after` on, at most `limit` a call, so that no lock is held for long. Runs that are on their
  /// way keep theirs.
  virtual core::result<core::log_removal> remove_logs(core::job_id job, core::log_id after, std::size_t limit) = 0;

  /// Runs of these jobs in an open claim that have neither a trigger code nor a result.
  virtual core::result<std::size_t> runs_on_their_way(std::span<const core::job_id> jobs) = 0;

  /// By id, or by group and key. Errors: `not_found`.
  virtual core::result<core::scheduled_job> find(const core::job_name& name) = 0;
};

} // namespace ringmaster::storage
