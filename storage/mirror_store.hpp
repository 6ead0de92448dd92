#pragma once

// XXL's trigger columns and our schedule, kept in step (firing protocol §2, §7.3). In native mode the schedule is `rm_schedule`;
// the columns in `xxl_job_info` are what people and other programs see of it, and what they change with SQL of their own.

#include <cstddef>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "core/time.hpp"

namespace ringmaster::storage {

/// A job that was changed by nobody whom we know, and is now planned as its row says.
struct foreign_edit {
  core::job_id job{};
  /// For the log: `stopped`, `schedule "…" -> "…"`.
  std::string what;
};

struct mirror_step {
  /// The last job that was looked at.
  core::job_id last{};
  /// There are more behind it.
  bool more = false;
  /// Rows whose mirror was behind.
  std::size_t refreshed = 0;
  std::vector<foreign_edit> adopted = {};
  /// Revisions were raised: planners are to read those jobs anew.
  bool raised = false;
};

class mirror_store {
public:
  virtual ~mirror_store() = default;

  /// Looks at `limit` jobs with an id above `after`: writes next and last time of those that run where they differ, and, with
  /// `adopt`, takes each row that was changed since it was last looked at for an edit (its revision is raised, its next time is
  /// the first after max(now, last claimed instant)). A row that runs without a next time is a misfire: its policy decides. A job
  /// whose row is gone is forgotten. What a node of ours edited is never taken for foreign.
  virtual core::result<mirror_step> sync(core::job_id after, std::size_t limit, bool adopt, core::time_point now) = 0;
};

} // namespace ringmaster::storage
