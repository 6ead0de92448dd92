#pragma once

// Synchronisation of XXL's trigger columns with Ringmaster's schedule (firing protocol §2, §7.3). In native mode the schedule is
// `rm_schedule`; the columns in `xxl_job_info` show it to users and other programs, which may also change them with SQL.

#include <cstddef>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "core/time.hpp"

namespace ringmaster::storage {

/// A job that another program changed, and that is now planned as its row says.
struct foreign_edit {
  core::job_id job{};
  /// Text for the log: `stopped`, `schedule "…" -> "…"`.
  std::string what;
};

struct mirror_step {
  /// The last job that was checked.
  core::job_id last{};
  /// Whether there are more jobs after it.
  bool more = false;
  /// Number of rows with outdated columns.
  std::size_t refreshed = 0;
  std::vector<foreign_edit> adopted = {};
  /// Whether revisions were raised, so that planners have to read those jobs again.
  bool raised = false;
};

class mirror_store {
public:
  virtual ~mirror_store() = default;

  /// Checks `limit` jobs with an id above `after`. Writes next and last time of running jobs where they differ. With `adopt`,
  /// treats each row that changed since the last check as an edit: raises its revision and sets its next time to the first after
  /// max(now, last claimed instant). A row that runs without a next time is a misfire: its policy decides. Forgets a job whose
  /// row is gone. Edits by Ringmaster nodes are never taken for foreign ones.
  virtual core::result<mirror_step> sync(core::job_id after, std::size_t limit, bool adopt, core::time_point now) = 0;
};

} // namespace ringmaster::storage
