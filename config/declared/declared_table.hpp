#pragma once

// One `[[group]]`, `[[job]]`, `[[elastic_job]]` or `[[alarm]]` of a declared file. Internal to config.

#include <optional>
#include <string>
#include <string_view>

#include "config/text/table_fields.hpp"
#include "config/text/toml_file.hpp"
#include "core/editing/declared.hpp"

namespace ringmaster::config {

/// Each reads one table and adds a problem to `found` for each error; the returned value is then incomplete.
[[nodiscard]] core::declared_group read_group(const toml::table& table, problems& found);
[[nodiscard]] core::declared_job read_job(const toml::table& table, problems& found);
[[nodiscard]] core::declared_alarm read_alarm(const toml::table& table, problems& found);
/// In `elastic_table.cpp`.
[[nodiscard]] core::declared_elastic_job read_elastic_job(const toml::table& table, problems& found);

/// Reads the key `schedule`.
void read_schedule(table_fields& in, core::declared_job& job);
/// Reads the key `cron`.
void read_cron(table_fields& in, core::declared_job& job);
/// Reads the key `interval_ms`, which excludes `schedule`.
void read_interval(table_fields& in, core::declared_job& job);
/// Reads a date and time with its offset, so that its meaning does not depend on the machine.
[[nodiscard]] std::optional<core::time_point> read_instant(table_fields& in, std::string_view key);

/// Reads the options of a `[[job]]` that have no column in XXL's table, all of `core::job_option_fields`, once the job's schedule
/// is read: an interval makes a fixed rate of a job without one.
void read_options(table_fields& in, core::declared_job& job);

} // namespace ringmaster::config
