#pragma once

// What commands print.

#include <optional>
#include <string>
#include <vector>

#include "core/editing/declared.hpp"
#include "core/result.hpp"

namespace ringmaster::apps {

/// Prints `ringmaster: …`, one line for each line of the context, and returns the exit code: 2 for wrong input, else 1.
int complain(const core::error& error);

/// Prints what is shown once, and is lost when it cannot be written: then standard error has that, what was `done` all the same
/// ("key 7 was made"), and what to do about it. The exit code.
int tell_once(const std::string& text, const std::string& done, const std::string& remedy);

/// Fire times and the like, `2026-11-21T10:00:00.000Z`.
[[nodiscard]] std::string iso_utc(core::time_point t);

/// A diff for people: `+ job app/key`, `~ …` with its fields, `- …`, and a closing line. Unchanged objects are only counted.
[[nodiscard]] std::string describe(const core::deploy_report& report, bool dry_run);

/// The same for a log: a line for each object that changed, `~ job app/key: retry: 0 -> 2; …`. Parameters may hold what no log
/// should keep, so of them it says only that they changed.
[[nodiscard]] std::vector<std::string> log_lines(const core::deploy_report& report);

/// Prints the warnings on standard error, a line for each.
void print_warnings(const core::deploy_report& report);

/// As /api/v1 answers it: `{"dry_run":…,"changes":[{"kind":…,"object":…,"fields":[…]}…],"on_their_way":…}`
[[nodiscard]] std::string describe_json(const core::deploy_report& report, bool dry_run);

/// How many runs were claimed before an edit and not sent yet, as a line; empty for none.
[[nodiscard]] std::string on_their_way_text(std::optional<std::size_t> runs);

} // namespace ringmaster::apps
