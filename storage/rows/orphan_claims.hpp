#pragma once

/// Condition of a claim `c` with the row `n` of its node: its incarnation has ended.
#define RINGMASTER_IS_ORPHAN "(n.id IS NULL OR n.incarnation <> c.incarnation OR n.state = 'down')"
