#pragma once

#include "core/rules/deploy_plan.hpp"
#include "storage/mysql/driver/session.hpp"
#include "storage/store.hpp"

namespace ringmaster::storage::mysql {

/// Declared groups and jobs.
class deploy_role final : public deploy_store {
public:
  explicit deploy_role(session& own) : own_{own} {}

  core::result<core::deploy_report> apply(const core::declared_set& declared, bool dry_run, bool prune,
                                          core::time_point now, const core::principal& by) override;

private:
  session& own_;
};

/// Returns the stored state, inside a transaction (`deploy_state.cpp`). Throws `driver_error`.
[[nodiscard]] core::deploy_state read_deploy_state(session& own, const std::string& source);

} // namespace ringmaster::storage::mysql
