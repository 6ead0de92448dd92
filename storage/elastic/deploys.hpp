#pragma once

// The part of applying declared files that concerns elastic jobs, for the transactions of both backends.

#include <span>
#include <string>
#include <vector>

#include "core/access/principal.hpp"
#include "core/rules/elastic_plan.hpp"
#include "storage/admin/admin_session.hpp"

namespace ringmaster::storage {

/// Returns the elastic jobs of `deploy_state`. For use inside a body, or a transaction of the backend.
[[nodiscard]] std::vector<core::held_elastic_job> held_elastic_jobs(admin_session& own, const core::declared_set& declared);

/// A plan that is being written.
struct elastic_deploy {
  const core::elastic_plan& plan;
  /// Ids of `deploy_plan::groups`, in their order.
  std::span<const core::group_id> groups;
  const std::string& source;
  const core::principal& by;
  core::time_point now;
};

/// Writes the plan, inside an edit that holds all other edits off. Errors: `conflict` if an item was granted since the plan was
/// made, which must be made again.
[[nodiscard]] core::result<void> write_elastic_plan(admin_session& own, const elastic_deploy& work);

} // namespace ringmaster::storage
