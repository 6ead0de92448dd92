#pragma once

#include "apps/doctor/doctor_findings.hpp"
#include "config/settings.hpp"

namespace ringmaster::apps {

/// The configuration has an executor's app name and says nothing of what a server alone has: where it listens, where it stores,
/// which jobs are declared, whom alarms go to.
[[nodiscard]] bool is_of_executor(const config::settings& settings);

/// What `ringmaster executor` would find with it. Asks the nodes and admins whether they are there; sends nothing that counts.
void check_executor(const config::settings& settings, finding_list& findings);

} // namespace ringmaster::apps
