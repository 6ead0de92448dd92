#pragma once

// Writing of a deploy plan.

#include <string>
#include <vector>

#include "core/rules/alarm_plan.hpp"
#include "core/rules/deploy_plan.hpp"
#include "core/rules/elastic_plan.hpp"
#include "storage/admin/admin_session.hpp"
#include "storage/sqlite/driver/session.hpp"

namespace ringmaster::storage::sqlite {

/// Returns all groups without values that depend on their jobs (`jobs_made_by_hand`). Inside a transaction.
[[nodiscard]] std::vector<core::held_group> read_groups(connection& db);

/// A plan that is being written, with everything that can be prepared before the write transaction.
struct deploy_writing {
  core::deploy_plan plan;
  core::alarm_plan alarms;
  core::elastic_plan elastic;
  std::string source;
  core::principal by;
  core::time_point now;
  /// Audit rows of the groups and jobs of the plan, then of the alarm rules. Rows of new objects get their ids when these are
  /// known.
  std::vector<core::audit_row> audit;
  /// Whether a job was changed since the plan was made, which must be made again.
  bool stale = false;
};

/// Writes a plan inside a write transaction. Errors: `conflict` with `stale`; `invalid_argument` for a
/// schedule that was claimed meanwhile and does not fire again.
[[nodiscard]] core::result<void> write_deploy(session& own, admin_session& admin, deploy_writing& work);

} // namespace ringmaster::storage::sqlite
