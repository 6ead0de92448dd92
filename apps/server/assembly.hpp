#pragma once

// From settings to a database and to alarm channels: the only place that chooses a storage backend.

#include <memory>

#include "apps/terminal/command_options.hpp"
#include "config/settings.hpp"
#include "core/editing/declared.hpp"
#include "core/editing/declared_warnings.hpp"
#include "core/result.hpp"
#include "core/text/language.hpp"
#include "core/zone/zone.hpp"
#include "gateway/notification/notification.hpp"
#include "storage/open.hpp"

namespace ringmaster::apps {

/// The settings of a command, ready to use: loaded and validated, time zones resolved, database path absolute.
struct assembled {
  config::settings settings;
  core::zone schedule_zone;
  core::zone database_zone;
};

[[nodiscard]] core::result<assembled> assemble(const config_options& options);

/// Assembles settings that do not come from a file.
[[nodiscard]] core::result<assembled> assemble(config::settings settings);

[[nodiscard]] core::result<std::unique_ptr<storage::database>> make_database(const assembled& node);

/// Returns whether `serve` migrates the schema when it starts.
[[nodiscard]] bool migrates_itself(const config::database_settings& database);

/// Migrates the schema if `database.migrate` permits it. Errors: otherwise `conflict`, with the command to run.
[[nodiscard]] core::result<void> prepare_schema(storage::database& database, const config::settings& settings);

/// Reads the files of `[deploy]`. Errors: also an alarm channel that the settings do not define.
[[nodiscard]] core::result<core::declared_set> read_deploy_files(const config::settings& settings);

/// Returns warnings about valid but suspicious declarations.
[[nodiscard]] std::vector<core::declared_warning> warnings_of(const core::declared_set& declared, const assembled& what);

/// Errors: `invalid_argument` for an alarm with an undefined channel, or with mail but no mail server.
[[nodiscard]] core::result<void> check_channels(const core::declared_set& declared, const config::settings& settings);

/// Reads the files of `[deploy]` and applies them. Returns a report without changes when no files are configured.
[[nodiscard]] core::result<core::deploy_report> apply_deploy_files(storage::database& database, const assembled& what,
                                                                   core::time_point now);

/// Returns the current time of the system clock.
[[nodiscard]] core::time_point system_now();

/// Returns the alarm channels of the configuration.
[[nodiscard]] inline gateway::notification_settings notification_of(const config::settings& settings) {
  return {settings.mail, settings.alarm, settings.webhooks,
          core::find_language(settings.server.language).value_or(core::language::en), settings.elastic.error_targets};
}

} // namespace ringmaster::apps
