#pragma once

// The role of the store that looks after the log. Never on the firing path: each call looks at a bounded stretch of the log,
// along its primary key, because the lean index profile has nothing else.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/maintenance/log_maintenance.hpp"
#include "core/result.hpp"
#include "core/run/run.hpp"

namespace ringmaster::storage {

class maintenance_store {
public:
  virtual ~maintenance_store() = default;

  /// Rows that this call looks at, at most, whatever the gaps in the ids are.
  static constexpr std::int64_t ids_per_call = 20'000;

  virtual core::result<core::log_span> span() = 0;

  /// The id of the last row whose trigger time is before `t`, found by bisecting the ids, which grow with the time but for what
  /// is late or claimed ahead: a few seconds. 0: none.
  virtual core::result<core::log_id> last_before(core::time_point t) = 0;

  /// Accepted runs without a result, in id order. Looks at `ids_per_call` ids at most: `through` says how far it came.
  virtual core::result<core::open_page> open_runs(const core::open_search& search) = 0;

  /// Counts the rows of `range` by day: day i is from `days[i]` to before `days[i + 1]`. The range is `ids_per_call` long at
  /// most. Errors: `invalid_argument` for a longer one.
  virtual core::result<core::day_counts> count_runs(const core::log_range& range, const core::day_bounds& days) = 0;

  /// Writes the rows of these days, each whole; what was there for the day is replaced.
  virtual core::result<void> write_report(std::span<const core::day_report> days, core::time_point now) = 0;

  /// Removes old runs and what belongs to them, in one transaction. Rows of open claims, rows without a trigger time and younger
  /// rows stay, whatever their ids. A backend that keeps the log in parts may drop a whole part instead.
  virtual core::result<core::purge_outcome> purge(const core::purge_step& step) = 0;

  /// Removes rows of ours whose run, job, group or node is gone, at most `limit` of each kind; a node that has ended is gone once
  /// nothing is left of its claims. The number of rows: none when there are no more.
  virtual core::result<std::size_t> forget_orphans(std::size_t limit) = 0;

  /// Removes rows of the record of changes that were written before `before`, the oldest first, at most `limit`. How many:
  /// fewer than `limit` when there are no more.
  virtual core::result<std::size_t> purge_audits(core::time_point before, std::size_t limit) = 0;

  /// Removes intents that were created at or before `before` and taken, the oldest first, at most `limit`, and what is kept of
  /// their runs by hand. How many: fewer than `limit` when there are no more.
  virtual core::result<std::size_t> forget_taken_intents(core::time_point before, std::size_t limit) = 0;

  /// Makes room for the runs to come, where the log is kept in parts. Cheap when there is enough.
  virtual core::result<void> make_room() = 0;

  /// What is unresolved in these open claims of `owner`. A claim that has nothing unresolved is deleted. Errors: `fenced`.
  virtual core::result<std::vector<core::stray_run>> stray_runs(const core::node_incarnation& owner,
                                                                std::span<const std::int64_t> claims) = 0;
};

} // namespace ringmaster::storage
