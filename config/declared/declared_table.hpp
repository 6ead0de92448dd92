#pragma once

// One `[[group]]`, one `[[job]]` and one `[[alarm]]` of a declared file. Internal to config.

#include "config/text/table_fields.hpp"
#include "config/text/toml_file.hpp"
#include "core/editing/declared.hpp"

namespace ringmaster::config {

/// Each reads one table and adds a problem to `found` for each error; the returned value is then incomplete.
[[nodiscard]] core::declared_group read_group(const toml::table& table, problems& found);
[[nodiscard]] core::declared_job read_job(const toml::table& table, problems& found);
[[nodiscard]] core::declared_alarm read_alarm(const toml::table& table, problems& found);

/// Reads the options of a `[[job]]` that have no column in XXL's table, all of `core::job_option_fields`, once the job's schedule
/// is read: an interval makes a fixed rate of a job without one.
void read_options(table_fields& in, core::declared_job& job);

} // namespace ringmaster::config
