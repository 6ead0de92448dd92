#pragma once

#include <string>

#include "core/rules/deploy_plan.hpp"
#include "storage/admin/admin_session.hpp"
#include "storage/sqlite/driver/session.hpp"
#include "storage/store.hpp"

namespace ringmaster::storage::sqlite {

/// Declared groups, jobs, elastic jobs and alarms.
class deploy_role final : public deploy_store {
public:
  deploy_role(session& own, admin_session& admin) : own_{own}, admin_{admin} {}

  core::result<core::deploy_report> apply(const core::declared_set& declared, bool dry_run, bool prune,
                                          core::time_point now, const core::principal& by) override;

private:
  session& own_;
  /// Statements of both databases on this connection.
  admin_session& admin_;
};

/// Returns the stored state, inside a transaction (`deploy_state.cpp`).
[[nodiscard]] core::deploy_state read_deploy_state(connection& db, const std::string& source);

} // namespace ringmaster::storage::sqlite
