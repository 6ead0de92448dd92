#pragma once

// What `ringmaster doctor` finds about the machine and about a server that runs on it.

#include "apps/doctor/doctor_findings.hpp"
#include "config/settings.hpp"

namespace ringmaster::apps {

/// Says how full the disks of the data folder and of a SQLite file are.
void check_disks(const config::settings& settings, finding_list& findings);

/// Asks the server of this data folder, if one runs, whether it is ready, and passes on its reasons. Blocks for at most three
/// seconds.
void check_running_server(const config::settings& settings, finding_list& findings);

} // namespace ringmaster::apps
