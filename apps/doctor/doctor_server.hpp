#pragma once

// Checks of the machine and of a server that runs on it.

#include "apps/doctor/doctor_findings.hpp"
#include "config/settings.hpp"

namespace ringmaster::apps {

/// Reports the free space on the disks of the data folder and of a SQLite file.
void check_disks(const config::settings& settings, finding_list& findings);

/// Asks the server of this data folder, if one runs, whether it is ready, and reports its reasons. Blocks for at most three
/// seconds.
void check_running_server(const config::settings& settings, finding_list& findings);

} // namespace ringmaster::apps
