#pragma once

// Options of a `[[job]]` that have no column in XXL's table. Internal to config.

#include "config/text/table_fields.hpp"
#include "core/editing/declared.hpp"

namespace ringmaster::config {

/// Reads all of `core::job_option_fields`, once the job's schedule is read: an interval makes a fixed rate of a job without one.
void read_options(table_fields& in, core::declared_job& job);

} // namespace ringmaster::config
