#pragma once

// What is valid in a declaration and worth a second look. Pure.

#include <string>
#include <vector>

#include "core/editing/declared.hpp"
#include "core/schedule/schedule_rules.hpp"

namespace ringmaster::core {

/// One line about a job.
struct declared_warning {
  /// As in `deploy_change`.
  std::string object;
  std::string text;
  /// It is worth telling once: where the apply leaves the object unchanged, it was told before.
  bool only_of_changes = false;
};

/// Returns a warning for each enabled job that fires less than once an hour and does not say what becomes of a missed instant,
/// and for each job with mail addresses where the server cannot send mail (`has_mail`).
[[nodiscard]] std::vector<declared_warning> warnings_of(const declared_set& declared, bool has_mail, schedule_rules& rules,
                                                        time_point now);

/// Stores in the report those that its changes call for.
void add_warnings(deploy_report& report, std::vector<declared_warning>&& warnings);

} // namespace ringmaster::core
