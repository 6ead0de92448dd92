#pragma once

// The pure part of applying `[[alarm]]`: computes a list of writes from the stored rules and those that a source declares.

#include <span>
#include <string>
#include <vector>

#include "core/alarm/alarm.hpp"
#include "core/editing/audit.hpp"
#include "core/editing/declared.hpp"
#include "core/result.hpp"
#include "core/rules/deploy_plan.hpp"

namespace ringmaster::core {

/// A row of `rm_alarm`.
struct held_alarm {
  alarm_rule rule;
  std::string source;
};

struct alarm_plan {
  std::vector<deploy_change> changes;
  /// Rows to insert or replace.
  std::vector<alarm_rule> writes;
  /// Keys of rows to delete.
  std::vector<std::string> removals;
};

/// Plans the writes. `state`: existing groups and declared jobs. Errors, each with `where`: `conflict` (a rule of another
/// source), `invalid_argument` (a group or job that neither the store nor the source has, so that the rule would never match).
[[nodiscard]] result<alarm_plan> plan_alarms(std::span<const held_alarm> held, const deploy_state& state,
                                             const declared_set& declared, bool prune);

/// Returns one row per rule that the plan changes.
[[nodiscard]] std::vector<audit_row> audit_of(const alarm_plan& plan, const std::string& source, const principal& by,
                                              time_point now);

} // namespace ringmaster::core
