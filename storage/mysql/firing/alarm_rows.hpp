#pragma once

// Rows of alarms, for the transactions that decide them. All throw `driver_error`.

#include <span>
#include <string>
#include <vector>

#include "core/rules/alarm_plan.hpp"
#include "storage/mysql/driver/session.hpp"
#include "storage/rows/alarm_book.hpp"

namespace ringmaster::storage::mysql {

/// Returns the alarm settings of those jobs that exist.
[[nodiscard]] alarm_book read_alarm_book(session& own, std::span<const core::job_id> jobs);

struct new_alarm {
  core::job_id job{};
  core::log_id run{};
  core::alarm_kind kind = core::alarm_kind::failure;
};

/// Inserts intents; existing ones stay unchanged.
void insert_alarms(session& own, std::span<const new_alarm> alarms, core::time_point now);

/// Returns all rows of `rm_alarm`.
[[nodiscard]] std::vector<core::held_alarm> read_alarm_rules(connection& db);
void write_alarm_rules(connection& db, const core::alarm_plan& plan, const std::string& source);

} // namespace ringmaster::storage::mysql
