#pragma once

// From settings to a database: the only place that chooses a backend.

#include <memory>

#include "apps/terminal/command_options.hpp"
#include "config/settings.hpp"
#include "core/editing/declared.hpp"
#include "core/editing/declared_warnings.hpp"
#include "core/result.hpp"
#include "core/zone/zone.hpp"
#include "storage/open.hpp"

namespace ringmaster::apps {

/// The settings of a command, ready to use: loaded, validated, zones found, the database's path made absolute.
struct assembled {
  config::settings settings;
  core::zone schedule_zone;
  core::zone database_zone;
};

[[nodiscard]] core::result<assembled> assemble(const config_options& options);

/// The same for settings that no file holds.
[[nodiscard]] core::result<assembled> assemble(config::settings settings);

[[nodiscard]] core::result<std::unique_ptr<storage::database>> make_database(const assembled& node);

/// Whether `serve` brings the schema up to date at its start.
[[nodiscard]] bool migrates_itself(const config::database_settings& database);

/// Brings the schema up to date if `database.migrate` allows it. Errors: `conflict` with the command to run when it does not.
[[nodiscard]] core::result<void> prepare_schema(storage::database& database, const config::settings& settings);

/// Reads the files of `[deploy]`. Errors: also a channel of an alarm that the settings do not have.
[[nodiscard]] core::result<core::declared_set> read_deploy_files(const config::settings& settings);

/// Returns what is valid in `declared` and worth a second look.
[[nodiscard]] std::vector<core::declared_warning> warnings_of(const core::declared_set& declared, const assembled& what);

/// Errors: `invalid_argument` for an alarm with a channel that the settings do not have, or mail without a server.
[[nodiscard]] core::result<void> check_channels(const core::declared_set& declared, const config::settings& settings);

/// Reads the files of `[deploy]` and applies them. A report without changes when none are declared.
[[nodiscard]] core::result<core::deploy_report> apply_deploy_files(storage::database& database, const assembled& what,
                                                                   core::time_point now);

/// Civil time by the system's clock.
[[nodiscard]] core::time_point system_now();

} // namespace ringmaster::apps
