#pragma once

#include "apps/doctor/doctor_findings.hpp"
#include "config/settings.hpp"

namespace ringmaster::apps {

/// Returns whether the configuration is that of an executor: it has an executor's app name and none of the settings of a server
/// (listen address, database, declared jobs, alarm channels).
[[nodiscard]] bool is_of_executor(const config::settings& settings);

/// Checks the configuration of `ringmaster executor`. Connects to the nodes and admins, but changes nothing there.
void check_executor(const config::settings& settings, finding_list& findings);

} // namespace ringmaster::apps
