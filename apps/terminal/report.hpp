#pragma once

// Output shared by the commands.

#include <optional>
#include <string>
#include <vector>

#include "core/editing/declared.hpp"
#include "core/result.hpp"

namespace ringmaster::apps {

/// Prints `ringmaster: …`, one line for each line of the context. Returns the exit code: 2 for invalid input, else 1.
int complain(const core::error& error);

/// Prints a text that is shown only once, for example a new key. If writing fails, standard error names what was `done` anyway
/// ("key 7 was created") and the remedy. Returns the exit code.
int tell_once(const std::string& text, const std::string& done, const std::string& remedy);

/// Formats a time in UTC: `2026-11-21T10:00:00.000Z`.
[[nodiscard]] std::string iso_utc(core::time_point t);

/// Returns a readable diff: `+ job app/key`, `~ …` with its fields, `- …`, and a summary line. Unchanged objects are only
/// counted.
[[nodiscard]] std::string describe(const core::deploy_report& report, bool dry_run);

/// Returns the diff as log lines, one for each changed object: `~ job app/key: retry: 0 -> 2; …`. For parameters, which may hold
/// secrets, a line says only that they changed.
[[nodiscard]] std::vector<std::string> log_lines(const core::deploy_report& report);

/// Prints the warnings on standard error, a line for each.
void print_warnings(const core::deploy_report& report);

/// Returns the JSON of /api/v1: `{"dry_run":…,"changes":[{"kind":…,"object":…,"fields":[…]}…],"on_their_way":…}`
[[nodiscard]] std::string describe_json(const core::deploy_report& report, bool dry_run);

/// Returns a line with the number of runs that were claimed before an edit and not sent yet; empty for none.
[[nodiscard]] std::string on_their_way_text(std::optional<std::size_t> runs);

} // namespace ringmaster::apps
