#pragma once

// Partitions of the log by ranges of ids, so that old runs are removed by dropping a partition. Only where Ringmaster made the
// log table: one that XXL-JOB made stays unchanged, and is purged row by row.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "core/maintenance/log_maintenance.hpp"
#include "core/time.hpp"
#include "storage/mysql/driver/session.hpp"

namespace ringmaster::storage::mysql {

/// Number of ids in one partition.
inline constexpr std::int64_t ids_per_part = 1'000'000;
/// Number of empty partitions kept ready after the newest run.
inline constexpr std::int64_t parts_ahead = 3;

struct log_part {
  std::string name;
  /// The first id after it; empty: it holds all ids above the other partitions.
  std::optional<std::int64_t> end{};
};

/// Returns the partitions in ascending order; empty: the log is not partitioned. Throws `driver_error`, as all of these.
[[nodiscard]] std::vector<log_part> log_parts(connection& db);

/// Adds partitions if fewer than `parts_ahead` are left.
void add_parts(connection& db);

/// Returns the next partition to purge after `after`. Empty: there is none with an end.
[[nodiscard]] std::optional<core::log_range> next_part(const std::vector<log_part>& parts, core::log_id after);

/// Returns the number of runs in the partition, if no row in it has a reason to stay: no run of it is younger than `before` or
/// without a time, and no open claim is as old. Reads the whole partition, a stretch at a time.
[[nodiscard]] std::optional<std::size_t> count_if_all_old(session& own, const core::log_range& part, core::time_point before);

/// Drops the partition with these ids, whatever it contains; empty: there is no such partition. Its runs leave the log at once,
/// under a lock whose duration does not depend on the size; the space is freed after that. Returns the longest time for which the
/// log was locked.
[[nodiscard]] std::optional<std::chrono::microseconds> drop_part(connection& db, const core::log_range& part);

} // namespace ringmaster::storage::mysql
