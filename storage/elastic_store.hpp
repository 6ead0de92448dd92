#pragma once

// Elastic jobs in the store (elastic design §2). Names E0 to E15 are those of the design.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/access/principal.hpp"
#include "core/elastic/elastic_dump.hpp"
#include "core/elastic/elastic_history.hpp"
#include "core/elastic/elastic_views.hpp"
#include "core/elastic/history_purge.hpp"
#include "core/elastic/server_list.hpp"
#include "core/elastic/store_ops.hpp"
#include "core/elastic/stored_rows.hpp"
#include "core/result.hpp"
#include "core/run/run.hpp"
#include "core/time.hpp"

namespace ringmaster::storage {

/// Tables `ej_*`. Each method is one transaction. A write by a node needs its current incarnation, as a claim does (T1): the
/// error `fenced` stands for the whole call. After a failed COMMIT the same call is repeated unchanged; its answers are then
/// `repeated` where the first call was stored.
class elastic_store {
public:
  virtual ~elastic_store() = default;

  // Hosts and leases.

  /// Returns the mark of this database. The first call ever stores `fresh_id` as its id.
  virtual core::result<core::elastic::cluster_mark> mark(const std::string& fresh_id) = 0;

  /// E0. Takes slots that have no holder, or one whose incarnation is over, each with a new epoch; returns these and the slots
  /// that `owner` has already, in the order of `wanted`. Others are left out: their holder is alive.
  virtual core::result<std::vector<core::elastic::slot_lease>> take_leases(
    const core::node_incarnation& owner, std::span<const core::elastic::lease_wish> wanted) = 0;

  /// E15. Releases slots that `owner` holds under these epochs; leaves others unchanged. All writes of the slots must have been
  /// answered.
  virtual core::result<void> release_leases(const core::node_incarnation& owner,
                                            std::span<const core::elastic::slot_lease> held) = 0;

  /// Returns all rows, by slot.
  virtual core::result<std::vector<core::elastic::lease_row>> leases() = 0;

  /// E1. Enters a host process: a new one begins the next incarnation of its id, up, with `owner` as its keeper (`done`). The
  /// same process again: `repeated`, unchanged, also with another keeper; after a verdict dead or left: `guard_lost`, it must
  /// fence itself and enter as a new process. Errors: `conflict` if `cluster_id` is not that of this database;
  /// `invalid_argument` for facts that do not fit; `too_large` beyond `hosts_max` hosts that are up or silent.
  virtual core::result<core::elastic::host_answer> enter_host(const core::node_incarnation& owner, const std::string& cluster_id,
                                                              const core::elastic::host_facts& facts) = 0;

  /// E2. Makes `owner` the keeper of hosts that are up or silent, and them up. `guard_lost`: see the row.
  virtual core::result<std::vector<core::elastic::host_answer>> keep_hosts(
    const core::node_incarnation& owner, std::span<const core::elastic::keeper_claim> claims) = 0;

  /// E3. Stores verdicts. `silent` and `left` need the keeper and its number as read; a host that is dead stays dead. `dead` may
  /// name a former process, in the order of processes.
  virtual core::result<std::vector<core::elastic::host_answer>> judge_hosts(
    const core::node_incarnation& owner, std::span<const core::elastic::host_verdict> verdicts) = 0;

  /// Returns hosts that have changed after change `change_no`, in the order of their changes, at most `limit`. 0: all hosts but
  /// those that are dead or left.
  virtual core::result<std::vector<core::elastic::host_row>> hosts_since(std::int64_t change_no, std::size_t limit) = 0;

  // Coordinators.

  /// E4 to E10 in one transaction. Each op is decided alone and has its answer, in the order of `batch.ops`; ops of a slot with
  /// another epoch are `fenced`, the others are kept. Alarms of the ops are stored with them, for jobs with recipients only: they
  /// are taken and finished by `alarm_store`. Errors: `fenced`;
  /// `invalid_argument` for more than `batch_items_max` item writes, an op whose items are of another job, and a value that does
  /// not fit.
  virtual core::result<std::vector<core::elastic::elastic_answer>> write(const core::elastic::elastic_batch& batch,
                                                                         core::time_point now) = 0;

  /// Lets new run ids start above `ceiling`, and returns the id that would have been the next one. If that is not above `seen`,
  /// the database is older than it was: the fences of all items without an open run are raised first, so that no fence is given
  /// a second time. A run that is open in the old database keeps its fence.
  virtual core::result<core::elastic::item_run_id> raise_run_ids(core::elastic::item_run_id seen,
                                                                 core::elastic::item_run_id ceiling) = 0;

  /// E13. Returns jobs of the slots with an id above `after`, ascending, at most `limit`, with their state; no more after
  /// `adopted_items_max` items. Errors: `fenced` also if a lease is not held under its epoch.
  virtual core::result<std::vector<core::elastic::adopted_job>> adopt(const core::node_incarnation& owner,
                                                                      std::span<const core::elastic::slot_lease> held,
                                                                      core::elastic::elastic_job_id after,
                                                                      std::size_t limit) = 0;

  /// Returns the state of one job, as `adopt` does. Errors: `not_found`.
  virtual core::result<core::elastic::adopted_job> read_job(core::elastic::elastic_job_id job) = 0;

  /// Returns jobs with an id above `after`, ascending, at most `limit`.
  virtual core::result<std::vector<core::elastic::elastic_job_row>> jobs_after(core::elastic::elastic_job_id after,
                                                                               std::size_t limit) = 0;

  /// Returns those of the named items that have a row, ascending: for an item whose guard was lost.
  virtual core::result<std::vector<core::elastic::item_row>> read_items(core::elastic::elastic_job_id job,
                                                                        std::span<const core::elastic::item_number> items) = 0;

  /// E14. Stores ends of open runs of `host` whose slot `owner` does not have. The first one of a run stays; those of other
  /// runs, and with another fence, are left out. Until the result of a body is applied, its run cannot be lost: E9 is answered
  /// with `guard_lost`. The row leaves with the run. Errors: `too_large` beyond `outcome_bytes`.
  virtual core::result<void> deliver(const core::node_incarnation& owner, const core::elastic::host_process& host,
                                     std::span<const core::elastic::inbox_row> results) = 0;

  /// Returns jobs with a result in the inbox that ends an open run, ascending, at most `limit`.
  virtual core::result<std::vector<core::elastic::elastic_job_id>> jobs_with_results(std::size_t limit) = 0;

  /// Remove what is older than `before`, a step at a time: from a place on, at most `limit` rows of each kind. Open runs stay,
  /// runs whose takeover an item waits for, the last planned fire of each job, its newest plan and those of its fires.
  virtual core::result<core::elastic::purge_done> purge_runs(core::time_point before, const core::elastic::purge_place& from,
                                                             std::size_t limit) = 0;
  virtual core::result<core::elastic::purge_done> purge_fires(core::time_point before, const core::elastic::purge_place& from,
                                                              std::size_t limit) = 0;

  // Reads of users. Errors: `not_found`; `forbidden` without the right of viewers in the group of the job.

  /// Returns the jobs of the user's groups. The items of a page are counted up to a bound. Errors: `forbidden` for the jobs of
  /// another group.
  virtual core::result<core::page<core::elastic::elastic_brief>> list(const core::elastic::elastic_search& search,
                                                                      const core::principal& by) = 0;
  virtual core::result<core::elastic::elastic_card> show(core::elastic::elastic_job_id job, const core::principal& by) = 0;

  /// Returns items from `from` on, at most `limit`.
  virtual core::result<core::elastic::elastic_items> items(core::elastic::elastic_job_id job, core::elastic::item_number from,
                                                           std::size_t limit, const core::principal& by) = 0;

  /// Returns runs of items, newest first. Reads at most `history_runs_per_call` runs.
  virtual core::result<core::elastic::elastic_history> history(const core::elastic::elastic_history_search& search,
                                                               const core::principal& by) = 0;

  /// Returns the hosts that are up or silent, and those that operators disabled or drain, by number, at most `hosts_max`; to
  /// users those with the app name of one of their groups. `group`: only those with its app name.
  virtual core::result<std::vector<core::elastic::host_row>> hosts(std::optional<core::group_id> group,
                                                                   const core::principal& by) = 0;

  /// Returns the hosts of all groups on which items run, by number.
  virtual core::result<std::vector<core::elastic::elastic_host_load>> host_loads() = 0;

  /// Returns the servers of all hosts that were not removed, also of those that are down, sorted by IP address; to users those of
  /// their groups. `group`: only hosts with its app name.
  virtual core::result<std::vector<core::elastic::elastic_server>> servers(std::optional<core::group_id> group,
                                                                           const core::principal& by) = 0;

  /// Returns the stored state of a job. Errors: `forbidden` also without `masked`, unless the user is an administrator.
  virtual core::result<core::elastic::elastic_dump> dump(core::elastic::elastic_job_id job, bool masked,
                                                         const core::principal& by) = 0;

  // Edits.

  /// Returns the edit counter, which edits of all kinds of jobs share. Every later read sees all edits up to it.
  virtual core::result<std::int64_t> last_revision() = 0;

  /// Returns jobs whose last edit has a revision above `revision`, or equal to it with an id above `after`, in the order of
  /// revisions and ids, at most `limit`; also deleted ones.
  virtual core::result<std::vector<core::elastic::elastic_edit_note>> edits_since(std::int64_t revision,
                                                                                  core::elastic::elastic_job_id after,
                                                                                  std::size_t limit) = 0;

  /// E11. Adds a job, or stores a new version: columns, missing items, surplus items flagged, next time. An equal definition
  /// changes nothing. Errors: `not_found`; `conflict` for another version (`core::edited_meanwhile`), a name that exists, a
  /// declared job, and another kind or handler without `replace_class`; `forbidden` without the right of editors in the stored
  /// and the new group; `invalid_argument`, also for another namespace and for an enabled job whose schedule never fires.
  virtual core::result<core::elastic::elastic_edit_done> put(const core::elastic::elastic_edit& edit, core::time_point now,
                                                             const core::principal& by) = 0;

  /// E11. Deletes a job with its items, plans, fires and requests; its runs stay as history. Errors: `not_found`; `forbidden`;
  /// `conflict` for another version (`core::edited_meanwhile`), a declared job, and while an item is open or wanted.
  virtual core::result<core::elastic::elastic_edit_done> remove(core::elastic::elastic_job_id job, std::int64_t version,
                                                                core::time_point now, const core::principal& by) = 0;

  /// E12. Sets the status. `on` plans the next instant after `now`. Errors of these seven: `not_found`; `forbidden` without the
  /// right to operate.
  virtual core::result<core::elastic::elastic_edit_done> set_status(core::elastic::elastic_job_id job,
                                                                    core::elastic::job_status status, core::time_point now,
                                                                    const core::principal& by) = 0;

  /// Calculates the times of a job from `now` again, as after a wrong clock (`core::count_again`).
  virtual core::result<core::elastic::elastic_edit_done> count_again(core::elastic::elastic_job_id job, core::time_point now,
                                                                     const core::principal& by) = 0;

  /// E12. Disables or enables one item.
  virtual core::result<core::elastic::elastic_edit_done> set_item_disabled(core::elastic::elastic_job_id job,
                                                                           core::elastic::item_number item, bool disabled,
                                                                           core::time_point now, const core::principal& by) = 0;

  /// E12. Cancels the open runs of a job and enables it.
  virtual core::result<core::elastic::elastic_edit_done> restart(core::elastic::elastic_job_id job, core::time_point now,
                                                                 const core::principal& by) = 0;

  /// E12. Cancels a run; the same run again changes nothing. Errors: `conflict` for a run that has ended.
  virtual core::result<core::elastic::elastic_edit_done> cancel_run(core::elastic::item_run_id run, core::time_point now,
                                                                    const core::principal& by) = 0;

  /// E12. Disables or enables a server for one job: the id or the IP address of a host. Errors: `not_found` also for a server
  /// that no host ever had.
  virtual core::result<core::elastic::elastic_edit_done> set_server_disabled(core::elastic::elastic_job_id job,
                                                                             const std::string& server, bool disabled,
                                                                             core::time_point now,
                                                                             const core::principal& by) = 0;

  /// E12. Adds a request with an id of the caller's choice; the same request again changes nothing. Errors: `conflict` for the
  /// id of a waiting request with another job, item, parameter or policy, and beyond 100 waiting requests of the job.
  virtual core::result<core::elastic::elastic_edit_done> add_request(const core::elastic::request_row& request,
                                                                     core::time_point now, const core::principal& by) = 0;

  /// Sets the mode of a host, over all its processes, or of all known hosts with an IP address. `removed` also ends a silent host
  /// for good: its process must enter as a new one. Errors: `not_found`; `forbidden` for all but administrators; `conflict` if a
  /// host to be removed is up, or items run on it.
  virtual core::result<core::elastic::host_edit_done> set_host_mode(const std::string& server, core::elastic::host_mode mode,
                                                                    core::time_point now, const core::principal& by) = 0;
};

} // namespace ringmaster::storage
