#pragma once

#include "apps/doctor/doctor_findings.hpp"
#include "config/settings.hpp"
#include "storage/store.hpp"

namespace ringmaster::apps {

/// Names executors that register an app name that no group has, with the group that may be meant.
void check_executors(storage::store& store, finding_list& findings);

/// Whether the nodes live in peace. Where several may share the database, living ones are watched for a moment: a process that
/// uses the id of another one takes its life again and again.
void check_nodes(const config::settings& settings, storage::store& store, finding_list& findings);

} // namespace ringmaster::apps
