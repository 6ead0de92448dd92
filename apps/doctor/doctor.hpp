#pragma once

// The findings and checks of `ringmaster doctor`.

#include <functional>
#include <vector>

#include "apps/server/assembly.hpp"
#include "config/settings.hpp"
#include "core/maintenance/finding.hpp"
#include "core/schedule/schedule_check.hpp"
#include "core/zone/zone.hpp"
#include "storage/store.hpp"

namespace ringmaster::apps {

using core::finding;
using verdict = core::finding::level;
using finding_list = std::vector<finding>;

/// Takes the findings of some checks. Returns whether the remaining checks are wanted. Without findings it is only asked.
using finding_taker = std::function<bool(finding_list&&)>;

/// Returns whether a check that waits is still wanted.
using still_wanted = std::function<bool()>;

/// Makes all checks of a server, those that wait for other machines last. Changes nothing and sends nothing. Blocks for seconds,
/// on a large database for longer; ends within about a second after `take` has returned false, apart from a statement that the
/// database does not answer.
void check_server(const assembled& what, const finding_taker& take);

/// Reports the free space on the disks of the data folder and of a SQLite file.
void check_disks(const config::settings& settings, finding_list& findings);

/// Asks the server of this data folder, if one runs, whether it is ready, and reports its reasons. Blocks for at most three
/// seconds.
void check_running_server(const config::settings& settings, const still_wanted& go_on, finding_list& findings);

/// Reports a database that is older than this node has seen it (restored, or failed over to a replica): before the start that
/// skips the run ids in between, and for some days after it. `zone`: for the time of that start.
void check_age(const config::settings& settings, storage::store& store, const core::zone& zone, core::time_point now,
               finding_list& findings);

/// Reports executors that register with an unknown app name, and suggests a similar group.
void check_executors(storage::store& store, finding_list& findings);

/// Checks for node ids that are used twice. If several nodes may share the database, the live ones are watched for a moment: two
/// processes with one id replace each other's incarnation again and again.
void check_nodes(const config::settings& settings, storage::store& store, const still_wanted& go_on, finding_list& findings);

/// Returns whether the configuration is that of an executor: it has an executor's app name and none of the settings of a server
/// (listen address, database, declared jobs, alarm channels).
[[nodiscard]] bool is_of_executor(const config::settings& settings);

/// Checks the configuration of `ringmaster executor`. Connects to the nodes and admins, but changes nothing there.
void check_executor(const config::settings& settings, finding_list& findings);

/// A job whose times are further ahead than its schedule explains.
struct far_ahead_job {
  core::far_ahead times;
  /// The number is that of an elastic job.
  bool elastic = false;

  [[nodiscard]] std::string name() const {
    return (elastic ? "elastic job " : "job ") + std::to_string(core::number(times.job));
  }
};

/// Returns all jobs whose times are further ahead than their schedules explain, elastic ones last, ordered by id. Jobs whose
/// schedules cannot be planned are left out, and elastic jobs that are not enabled. When `go_on` returns false, those found so
/// far; null: all.
[[nodiscard]] core::result<std::vector<far_ahead_job>> find_far_ahead(storage::store& store, const core::zone& where,
                                                                      core::milliseconds tolerance, core::time_point now,
                                                                      const still_wanted& go_on = {});

} // namespace ringmaster::apps
