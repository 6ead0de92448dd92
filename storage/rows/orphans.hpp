#pragma once

// Conditions on rows of incarnations that have ended.

/// Condition of a claim `c` with the row `n` of its node: its incarnation has ended.
#define RINGMASTER_IS_ORPHAN "(n.id IS NULL OR n.incarnation <> c.incarnation OR n.state = 'down')"

/// Condition that an alarm of this table waits, or was taken by an incarnation that has ended.
#define RINGMASTER_HAS_ALARMS_IN(table)                                                                                          \
  "EXISTS (SELECT 1 FROM " table " WHERE state = 2) OR EXISTS (SELECT 1 FROM " table " a LEFT JOIN rm_node n ON n.id = a.node"   \
  " AND n.incarnation = a.incarnation AND n.state = 'up' WHERE a.state = 3 AND n.id IS NULL)"
/// Condition that an alarm can be taken.
#define RINGMASTER_HAS_ALARMS "(" RINGMASTER_HAS_ALARMS_IN("rm_intent") " OR " RINGMASTER_HAS_ALARMS_IN("ej_alarm") ")"
