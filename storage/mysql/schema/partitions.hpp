#pragma once

// The log as parts by ranges of ids, so that old runs go by dropping a part. Only where the log table is ours: one that XXL-JOB
// made stays as it is, and is purged row by row.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "core/maintenance/log_maintenance.hpp"
#include "core/time.hpp"
#include "storage/mysql/driver/session.hpp"

namespace ringmaster::storage::mysql {

/// Ids in one part.
inline constexpr std::int64_t ids_per_part = 1'000'000;
/// Parts that lie ready behind the newest run.
inline constexpr std::int64_t parts_ahead = 3;

struct log_part {
  std::string name;
  /// The first id that is not in it; nothing: it holds everything above the others.
  std::optional<std::int64_t> end{};
};

/// In ascending order; empty: the log is one table. Throws `driver_error`, as all of these.
[[nodiscard]] std::vector<log_part> log_parts(connection& db);

/// Adds parts if fewer than `parts_ahead` are left.
void add_parts(connection& db);

/// The part behind `after` that the purge comes to next. Nothing: there is none that ends.
[[nodiscard]] std::optional<core::log_range> next_part(const std::vector<log_part>& parts, core::log_id after);

/// How many runs the part has, if nothing in it has a reason to stay: no run of it is younger than `before` or without a time,
/// and no open claim is as old. Reads the whole part, a stretch at a time.
[[nodiscard]] std::optional<std::size_t> count_if_all_old(session& own, const core::log_range& part, core::time_point before);

/// Drops the part with these ids, whatever is in it; nothing: there is no such part. Its runs leave the log at once, under a lock
/// that does not last longer for a large part than for a small one; the space is given back after that. Returns the longest time
/// for which the log was locked.
[[nodiscard]] std::optional<std::chrono::microseconds> drop_part(connection& db, const core::log_range& part);

} // namespace ringmaster::storage::mysql
