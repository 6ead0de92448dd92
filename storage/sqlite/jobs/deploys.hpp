#pragma once

#include <string>

#include "core/rules/deploy_plan.hpp"
#include "storage/sqlite/driver/session.hpp"
#include "storage/store.hpp"

namespace ringmaster::storage::sqlite {

/// Declared groups and jobs.
class deploy_role final : public deploy_store {
public:
  explicit deploy_role(session& own) : own_{own} {}

  core::result<core::deploy_report> apply(const core::declared_set& declared, bool dry_run, bool prune,
                                          core::time_point now, const core::principal& by) override;

private:
  session& own_;
};

/// Returns the stored state, inside a transaction (`deploy_state.cpp`).
[[nodiscard]] core::deploy_state read_deploy_state(connection& db, const std::string& source);

} // namespace ringmaster::storage::sqlite
