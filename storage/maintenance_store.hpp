#pragma once

// Maintenance of the log. Never on the firing path. Each call reads a bounded stretch of the log along its primary key, because
// the lean index profile has no other index.

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

  /// Maximum number of rows that this call reads, regardless of gaps in the ids.
  static constexpr std::int64_t ids_per_call = 20'000;

  virtual core::result<core::log_span> span() = 0;

  /// Returns the id of the last row whose trigger time is before `t`; 0: none. Bisects the ids, which grow with time except for
  /// late runs and runs claimed ahead (a few seconds).
  virtual core::result<core::log_id> last_before(core::time_point t) = 0;

  /// Returns accepted runs without a result, in id order. Reads at most `ids_per_call` ids; `through` is the last id read.
  virtual core::result<core::open_page> open_runs(const core::open_search& search) = 0;

  /// Counts the rows of `range` by day: day i is from `days[i]` to before `days[i + 1]`. Errors: `invalid_argument` for a range
  /// longer than `ids_per_call`.
  virtual core::result<core::day_counts> count_runs(const core::log_range& range, const core::day_bounds& days) = 0;

  /// Writes the complete rows of these days and replaces existing ones.
  virtual core::result<void> write_report(std::span<const core::day_report> days, core::time_point now) = 0;

  /// Removes old runs and their dependent rows in one transaction. Rows of open claims, rows without a trigger time and younger
  /// rows stay, regardless of their ids. A backend that keeps the log in partitions may drop a whole partition instead.
  virtual core::result<core::purge_outcome> purge(const core::purge_step& step) = 0;

  /// Removes rows of Ringmaster's tables whose run, job, group or node is gone, at most `limit` of each kind. A node that has
  /// ended counts as gone once none of its claims is left. Returns the number of rows: 0 when there are no more.
  virtual core::result<std::size_t> forget_orphans(std::size_t limit) = 0;

  /// Removes rows of the audit log that were written before `before`, the oldest first, at most `limit`. Returns the number: less
  /// than `limit` when there are no more.
  virtual core::result<std::size_t> purge_audits(core::time_point before, std::size_t limit) = 0;

  /// Removes taken intents that were created at or before `before`, the oldest first, at most `limit`, with the stored data of
  /// their manual runs. Returns the number: less than `limit` when there are no more.
  virtual core::result<std::size_t> forget_taken_intents(core::time_point before, std::size_t limit) = 0;

  /// Makes room for future runs where the log is kept in partitions. Cheap when there is enough.
  virtual core::result<void> make_room() = 0;

  /// Returns the unresolved runs in these open claims of `owner`. Deletes claims without unresolved runs. Errors: `fenced`.
  virtual core::result<std::vector<core::stray_run>> stray_runs(const core::node_incarnation& owner,
                                                                std::span<const std::int64_t> claims) = 0;
};

} // namespace ringmaster::storage
