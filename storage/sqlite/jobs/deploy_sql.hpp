#pragma once

// Reading and writing what `deploy_plan` reasons about.

#include <string>
#include <vector>

#include "storage/editing/alarm_plan.hpp"
#include "storage/editing/deploy_plan.hpp"
#include "storage/sqlite/roles/sqlite_store.hpp"

namespace ringmaster::storage::sqlite {

/// deploy_state.cpp. Inside a transaction.
[[nodiscard]] deploy_state read_deploy_state(connection& db, const std::string& source);

/// All groups without what belongs to their jobs (`jobs_made_by_hand`). Inside a transaction.
[[nodiscard]] std::vector<held_group> read_groups(connection& db);

/// A plan on its way into the tables, with everything that can be made before the write transaction.
struct deploy_writing {
  deploy_plan plan;
  alarm_plan alarms;
  std::string source;
  core::time_point now;
  /// Of the groups and jobs of the plan, then of the alarm rules. Rows of new objects get their ids when these are known.
  std::vector<core::audit_row> audit;
  /// A job was changed since the plan was made: it must be planned again.
  bool stale = false;
};

/// deploy_write.cpp. Inside a write transaction. Errors: `conflict` with `stale`; `invalid_argument` for a schedule that was
/// claimed meanwhile and does not fire again.
[[nodiscard]] core::result<void> write_deploy(session& own, deploy_writing& work);

} // namespace ringmaster::storage::sqlite
