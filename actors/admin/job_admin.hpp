#pragma once

#include <memory>

#include "actors/logger.hpp"
#include "core/declared.hpp"
#include "core/result.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Edits of jobs and groups, never on the firing path: a query worker runs them, and who plans or routes looks again afterwards.
/// Keeps nothing between two messages.
class job_admin_state {
public:
  static inline const char* name = "ringmaster.job_admin";

  job_admin_state(protocol::job_admin::pointer self, protocol::query_worker store, protocol::schedule_actor schedule,
                  protocol::registry_monitor registry, protocol::wall_clock clock, logger log);
  protocol::job_admin::behavior_type make_behavior();

private:
  caf::result<core::deploy_report> apply(protocol::apply_declared&& command);
  void applied(const core::result<core::deploy_report>& outcome, const std::string& source, bool dry_run);

  protocol::job_admin::pointer self_;
  protocol::query_worker store_;
  protocol::schedule_actor schedule_;
  protocol::registry_monitor registry_;
  protocol::wall_clock clock_;
  logger log_;
};

} // namespace ringmaster::actors
