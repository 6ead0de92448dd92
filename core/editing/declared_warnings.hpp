#pragma once

// Warnings about valid declarations that may be mistakes. Pure.

#include <string>
#include <vector>

#include "core/editing/declared.hpp"
#include "core/schedule/schedule_rules.hpp"

namespace ringmaster::core {

/// Single-line warning about a job.
struct declared_warning {
  /// As in `deploy_change`.
  std::string object;
  std::string text;
  /// The warning is shown only when the apply changes the object; for an unchanged object it was shown before.
  bool only_of_changes = false;
};

/// Returns a warning for each enabled job that fires less than once an hour and sets no `misfire`. Returns another one for each
/// job with e-mail addresses if the server cannot send e-mail (`has_mail` is false), and for each elastic job with a pool or an
/// error handler that only some programs have.
[[nodiscard]] std::vector<declared_warning> warnings_of(const declared_set& declared, bool has_mail, schedule_rules& rules,
                                                        time_point now);

/// Stores in the report the warnings that apply to its changes.
void add_warnings(deploy_report& report, std::vector<declared_warning>&& warnings);

} // namespace ringmaster::core
