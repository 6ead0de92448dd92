#pragma once

#include "apps/doctor/doctor_findings.hpp"
#include "config/settings.hpp"
#include "storage/store.hpp"

namespace ringmaster::apps {

/// Reports executors that register with an unknown app name, and suggests a similar group.
void check_executors(storage::store& store, finding_list& findings);

/// Checks for node ids that are used twice. If several nodes may share the database, the live ones are watched for a moment: two
/// processes with one id replace each other's incarnation again and again.
void check_nodes(const config::settings& settings, storage::store& store, finding_list& findings);

} // namespace ringmaster::apps
