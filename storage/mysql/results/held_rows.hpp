#pragma once

// The part of a record that is read under locks before it is decided.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/mysql/driver/session.hpp"
#include "storage/rules/record_rules.hpp"

namespace ringmaster::storage::mysql {

/// A log row under its lock, what is to become of it, and what a retry of it repeats.
struct held_row {
  const run_update* update = nullptr;
  run_row row;
  run_write write;
  core::job_id job{};
  std::optional<std::string> param;
  core::shard part;
  core::time_point fire_at{};
  /// As the column has it.
  std::string triggered;
  /// Somebody is to be told.
  bool alarm = false;
};

/// Locks in id order; a run whose row is gone, or is held by another transaction where the server can say so, is left out. Throws
/// `driver_error`, as `write`.
[[nodiscard]] std::vector<held_row> lock_rows(session& own, const std::vector<const run_update*>& updates, core::time_point now);

/// Finds out who is to be told of the failures among the writes that are decided: reads nothing when there is none.
void decide_alarms(session& own, std::vector<held_row>& rows);

/// Makes the writes, in the log, in the list of failed runs and in that of alarms; beside Java admins (`shared`) with the texts
/// that they would write.
void write(session& own, const std::vector<held_row>& rows, std::string_view handle_time, bool shared, core::time_point now);

} // namespace ringmaster::storage::mysql
