#pragma once

// The part of a record that is read under locks before it is decided.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/record_rules.hpp"
#include "storage/mysql/driver/session.hpp"

namespace ringmaster::storage::mysql {

/// A log row under its lock, the write to make, and the values that a retry repeats.
struct held_row {
  const core::run_update* update = nullptr;
  core::run_row row;
  core::run_write write;
  core::job_id job{};
  std::optional<std::string> param;
  core::shard part;
  core::time_point fire_at{};
  /// As stored in the column.
  std::string triggered;
  /// Whether the failure needs an alarm.
  bool alarm = false;
};

/// Locks rows in id order. Leaves out a run whose row is gone, or is locked by another transaction where the server can tell.
/// Throws `driver_error`, as `write`.
[[nodiscard]] std::vector<held_row> lock_rows(session& own, const std::vector<const core::run_update*>& updates,
                                              core::time_point now);

/// Decides the alarms of the failures among the decided writes: reads nothing when there are none.
void decide_alarms(session& own, std::vector<held_row>& rows);

/// Makes the writes in the log, in the list of failed runs and in that of alarms; in shared mode (`shared`) with the texts that
/// Java admins would write.
void write(session& own, const std::vector<held_row>& rows, std::string_view handle_time, bool shared, core::time_point now);

} // namespace ringmaster::storage::mysql
