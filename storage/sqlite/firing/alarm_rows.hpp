#pragma once

// Rows of alarms, for the transactions that decide them.

#include <span>
#include <string>
#include <vector>

#include "core/rules/alarm_plan.hpp"
#include "storage/rows/alarm_book.hpp"
#include "storage/sqlite/driver/connection.hpp"

namespace ringmaster::storage::sqlite {

/// The alarm settings of some jobs, read when they are asked for, within one transaction.
class alarm_reading {
public:
  explicit alarm_reading(connection& db) : db_{db} {}

  [[nodiscard]] bool needs(core::job_id job, bool will_be_retried, core::alarm_reason why = core::alarm_reason::failed);
  [[nodiscard]] std::int32_t status(core::job_id job, bool will_be_retried, core::alarm_reason why = core::alarm_reason::failed);
  [[nodiscard]] std::optional<core::alarmed_job> find(core::job_id job);

private:
  void read(core::job_id job);

  connection& db_;
  std::optional<std::vector<core::alarm_rule>> rules_;
  alarm_book book_;
  std::vector<core::job_id> known_;
};

/// Inserts an intent; an existing one stays unchanged.
void insert_alarm(connection& db, core::job_id job, core::log_id run, core::alarm_kind kind, core::time_point now);

/// Returns all rows of `rm_alarm`.
[[nodiscard]] std::vector<core::held_alarm> read_alarm_rules(connection& db);
void write_alarm_rules(connection& db, const core::alarm_plan& plan, const std::string& source);

} // namespace ringmaster::storage::sqlite
